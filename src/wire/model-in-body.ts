import type { WireFormat } from '../kernel/wire-format.ts';

/** For formats that say in the body which model is asked, and whether for a stream. */
export const modelInBody: Pick<WireFormat, 'readRouting' | 'modelFields'> = {
  readRouting: (fieldReader) => ({ model: fieldReader.get('model'), stream: fieldReader.get('stream') }),
  modelFields: (model) => ({ model }),
};
