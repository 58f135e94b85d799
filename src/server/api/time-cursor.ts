import { z } from 'zod';

interface CursorPosition {
  readonly atMs: number;
  readonly id: string;
}

/** Opaque cursors for lists in order of time. */
export class TimeCursors {
  /** The pattern of the list's ids. */
  readonly #ids: RegExp;

  constructor(ids: RegExp) {
    this.#ids = ids;
  }

  encode({ atMs, id }: CursorPosition): string {
    return Buffer.from(`${atMs}.${id}`).toString('base64url');
  }

  /** Undefined if the cursor is invalid. */
  decode(cursor: string): CursorPosition | undefined {
    const [, time, id = ''] =
      /^(\d{1,15})\.(.*)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
    return time !== undefined && this.#ids.test(id) ? { atMs: Number(time), id } : undefined;
  }

  /** The query parameter for the start of a page. */
  querySchema(description: string) {
    return z
      .string()
      .refine((text) => this.decode(text) !== undefined, 'must be a cursor from an earlier response')
      .optional()
      .describe(description);
  }
}
