import type { z } from 'zod';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { HeaderList } from '../lib/headers.ts';

/** A model in a list. */
export interface NamedModel {
  readonly id: string;
  /** The display name. */
  readonly title: string;
  readonly owner: string;
}

/** How an API lists models. */
export interface ModelListFormat {
  /** The format of its errors. */
  readonly wire: WireFormat;
  /** The paths of its lists. */
  readonly path: string;
  /** Its query parameters. */
  readonly query: Readonly<Record<string, string>>;
  readonly listSchema: z.ZodType;
  readonly modelSchema: z.ZodType;
  /** Whether the caller of a shared path speaks it. */
  isSpokenBy(headers: HeaderList): boolean;
  encodeList(models: readonly NamedModel[], query: URLSearchParams): object;
  encodeModel(model: NamedModel): object;
}
