import { GatewayError } from '../../kernel/errors.ts';
import type { SealedLine } from '../../kernel/ports/own-batches.ts';

/** Seals bytes for one place, where alone they can be opened. */
export interface Sealing {
  seal(content: Uint8Array, context: string): { readonly sealedBy: string; readonly sealed: Uint8Array };
  openBytes(
    sealed: { readonly sealedBy: string; readonly sealed: Uint8Array },
    context: string,
  ): Buffer | undefined;
}

/** `owner` is the id of the file or batch. */
export function sealLine(sealing: Sealing, owner: string, number: number, content: Uint8Array): SealedLine {
  return { number, ...sealing.seal(content, `${owner} ${number}`) };
}

export function openLine(sealing: Sealing, owner: string, line: SealedLine): Buffer {
  const content = sealing.openBytes(line, `${owner} ${line.number}`);
  if (content !== undefined) return content;
  throw new GatewayError(
    'internal',
    'a line of a batch can not be opened: the secret of this gateway has changed',
  );
}
