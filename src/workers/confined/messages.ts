import { z } from 'zod';
import type { ConnectionTarget } from '../../lib/late-socket.ts';

/** A worker asks the primary process for a connection. */
export interface ConnectionRequest {
  readonly id: number;
  readonly target: ConnectionTarget;
}

/** The connection comes with the answer, unless there is an error. */
export interface ConnectionAnswer {
  readonly id: number;
  readonly error?: { readonly message: string; readonly code: string } | undefined;
}

// Code of modules can send messages, too.
const requestSchema = z.strictObject({
  connect: z.strictObject({
    id: z.int(),
    target: z.union([
      z.strictObject({ host: z.string().min(1).max(255), port: z.int().min(1).max(65_535) }),
      z.strictObject({ path: z.string().min(1).max(255) }),
    ]),
  }),
});

const answerSchema = z.strictObject({
  connected: z.strictObject({
    id: z.int(),
    error: z.strictObject({ message: z.string(), code: z.string() }).optional(),
  }),
});

export function readConnectionRequest(message: unknown): ConnectionRequest | undefined {
  return requestSchema.safeParse(message).data?.connect;
}

export function readConnectionAnswer(message: unknown): ConnectionAnswer | undefined {
  return answerSchema.safeParse(message).data?.connected;
}
