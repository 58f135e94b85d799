import type { WireFormat } from '../../kernel/wire-format.ts';

/** A call names a model or an agent. Agents may have any name, and only Google has them. */
export const modelOrAgent: Pick<WireFormat, 'readRouting' | 'modelFields'> = {
  readRouting(fieldReader) {
    const model = fieldReader.get('model');
    return { model: model ?? agentTarget(fieldReader.get('agent')), stream: fieldReader.get('stream') };
  },
  modelFields: (model, received) =>
    received?.get('model') == null && received?.get('agent') != null ? { agent: model } : { model },
};

function agentTarget(agent: unknown): unknown {
  return typeof agent !== 'string' || agent === '' || agent.startsWith('gemini/') ? agent : `gemini/${agent}`;
}
