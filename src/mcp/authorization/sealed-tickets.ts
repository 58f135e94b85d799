import { z } from 'zod';
import type { Sealer } from '../../accounts/sealer.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';

/** What a browser holds for a while and gives back: sealed, for one use, by anybody of the replicas. */
export class SealedTickets<Shape extends z.ZodRawShape> {
  readonly #parts: TicketParts<Shape>;

  constructor(parts: TicketParts<Shape>) {
    this.#parts = parts;
  }

  seal(content: z.output<z.ZodObject<Shape>>): string {
    const { sealer, purpose, lifeMs, clock } = this.#parts;
    const text = JSON.stringify({ content, id: crypto.randomUUID(), expiresAtMs: clock.now() + lifeMs });
    const { sealedBy, sealed } = sealer.seal(text, purpose);
    return `${sealedBy}.${Buffer.from(sealed).toString('base64url')}`;
  }

  /** Undefined if it is none of ours, has expired, is refused by `isFor`, or was used. */
  async use(
    ticket: string | undefined,
    isFor: (content: z.output<z.ZodObject<Shape>>) => boolean,
  ): Promise<z.output<z.ZodObject<Shape>> | undefined> {
    const { purpose, lifeMs, counts, clock } = this.#parts;
    const opened = this.#open(ticket);
    if (opened === undefined) return undefined;
    const { content, id, expiresAtMs } = opened;
    if (expiresAtMs <= clock.now() || !isFor(content)) return undefined;
    const uses = { most: 1, seconds: lifeMs / 1000 };
    return (await counts.count(`${purpose}:${id}`, uses)) === 0 ? content : undefined;
  }

  /** What one of ours says, also if it has expired or was used. */
  peek(ticket: string | undefined): z.output<z.ZodObject<Shape>> | undefined {
    return this.#open(ticket)?.content;
  }

  #open(ticket: string | undefined) {
    const { sealer, purpose, shape } = this.#parts;
    const [sealedBy = '', text = ''] = (ticket ?? '').split('.', 2);
    const opened = sealer.open({ sealedBy, sealed: Buffer.from(text, 'base64url') }, purpose);
    const envelope = z.object({ content: z.object(shape), id: z.string(), expiresAtMs: z.number() });
    return opened === undefined ? undefined : envelope.parse(JSON.parse(opened));
  }
}

interface TicketParts<Shape extends z.ZodRawShape> {
  readonly sealer: Sealer;
  readonly counts: RateLimiter;
  readonly clock: Clock;
  readonly purpose: string;
  readonly lifeMs: number;
  readonly shape: Shape;
}
