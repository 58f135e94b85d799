import type { z } from 'zod';
import type { HeaderList } from './headers.ts';
import type { WireFormat } from './wire-format.ts';

/** A model as a list shows it. */
export interface NamedModel {
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly owner: string;
}

/** How an API lists models. */
export interface ModelListFormat {
  /** Words its errors. */
  readonly wire: WireFormat;
  /** Where its lists are. */
  readonly path: string;
  /** What its lists can be asked for, by query parameter. */
  readonly query: Readonly<Record<string, string>>;
  readonly listSchema: z.ZodType;
  readonly modelSchema: z.ZodType;
  /** Whether a caller who looks there speaks it. */
  isSpokenBy(headers: HeaderList): boolean;
  encodeList(models: readonly NamedModel[], query: URLSearchParams): object;
  encodeModel(model: NamedModel): object;
}
