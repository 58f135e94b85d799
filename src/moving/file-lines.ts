import { z } from 'zod';

export const formatName = 'export';
export const formatVersion = 1;

const text = z.string().max(200);

/** The first line of a file. */
export const manifestSchema = z.strictObject({
  weir: z.literal(formatName),
  version: z.int(),
  product: text,
  mode: z.enum(['local', 'cloud']),
  account: text,
  created_at: z.iso.datetime(),
  sections: z.array(text).max(50),
});
export type Manifest = z.output<typeof manifestSchema>;

export const sectionStartSchema = z.strictObject({ section: text, version: z.int() });
export const sectionEndSchema = z.strictObject({ end: text, rows: z.int().min(0), sha256: text });
/** The last line: whatever is cut off, it is missing. */
export const fileEndSchema = z.strictObject({ close: z.literal(formatName), sha256: text });
