import { z } from 'zod';
import { isRequestId } from '../../../kernel/request-id.ts';

/** An opaque cursor into the request log: an encoded id. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** Undefined if the cursor is invalid. */
export function decodeCursor(cursor: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return isRequestId(id) && encodeCursor(id) === cursor ? id : undefined;
}

export const cursorSchema = z
  .string()
  .refine((text) => decodeCursor(text) !== undefined, 'must be a cursor from an earlier response')
  .optional();
