import { z } from 'zod';

/**
 * The text of an option that lists names, separated by `|`. `values` are the names that exist, if others are wrong. Forms have
 * a field for each name, or a box for each value.
 */
export function listText(values?: readonly string[]) {
  return z.string().meta({ separator: '|', ...(values !== undefined && { values }) });
}
