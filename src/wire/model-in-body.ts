import type { WireFormat } from '../kernel/wire-format.ts';

/** For formats that say in the body which model is asked, and whether for a stream. */
export const modelInBody: Pick<WireFormat, 'asked' | 'naming'> = {
  asked: (fields) => ({ model: fields.get('model'), stream: fields.get('stream') }),
  naming: (model) => ({ model }),
};
