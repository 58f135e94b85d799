import type { WireFormat } from '../kernel/wire-format.ts';

/** For formats with model and stream in the body. */
export const modelInBody: Pick<WireFormat, 'readRouting' | 'modelFields'> = {
  readRouting: (fieldReader) => ({ model: fieldReader.get('model'), stream: fieldReader.get('stream') }),
  modelFields: (model) => ({ model }),
};
