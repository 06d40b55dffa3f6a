package dev.sluice.springai.starter;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Looks at what libraries keep to themselves. */
final class Private {

    private Private() {}

    /** Returns the value of the field of {@code type}; null where there is none, or it can't be read. */
    static @Nullable Object field(Object holder, Class<?> type) {
        try {
            Field field = ReflectionUtils.findField(holder.getClass(), null, type);
            if (field == null) {
                return null;
            }
            ReflectionUtils.makeAccessible(field);
            return ReflectionUtils.getField(field, holder);
        } catch (RuntimeException e) {
            return null;
        }
    }
}
