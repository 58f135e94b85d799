import { z } from 'zod';
import { defineModule, type Exchange, type Handler, type Module } from '../../module-api.ts';

const options = z.strictObject({});

type Options = z.output<typeof options>;

/** The gateway itself keeps calls with this module inside; the module says so in the trace. */
export const airgap: Module<Options> = defineModule({
  api: 1,
  name: 'airgap',
  summary:
    'Connects to nothing but model providers for a call: modules reach no other servers, and its logs and traces stay here.',
  status: 'production',
  protective: true,
  ifBroken: 'reject',
  order: 1,
  touches: [],
  airgap: true,
  options,
  handle: noteRefusals,
  handleRelay: noteRefusals,
});

interface NotingKit {
  note(facts: Readonly<Record<string, string | number>>): void;
}

async function noteRefusals(exchange: Exchange, next: Handler, kit: NotingKit) {
  kit.note({ egress: 'providers' });
  const reply = await next(exchange);
  const note = () => {
    const refused = exchange.trace.egress?.refused ?? 0;
    if (refused > 0) kit.note({ refused });
  };
  note();
  return reply.onEnd(note);
}
