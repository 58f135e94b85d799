import { isRequestId } from '../../../kernel/request-id.ts';

/** A place in the request log as clients hand it back: an id, written so that nobody takes it for one. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** Undefined where the text is none of ours. */
export function decodeCursor(cursor: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return isRequestId(id) && encodeCursor(id) === cursor ? id : undefined;
}
