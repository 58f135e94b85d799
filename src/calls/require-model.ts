import type { ClientRequest } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { isJsonObject } from '../lib/json.ts';

/** Checks the few fields that the gateway itself needs; the provider validates the rest. */
export function requireModel({ routing: { model, stream }, fields }: ClientRequest): string {
  if (model == null && isJsonObject(fields.get('prompt')))
    throw new GatewayError(
      'invalid_request',
      '"model" is required: the gateway cannot read the model of a stored prompt; name the model in the call',
      { param: 'model' },
    );
  if (typeof model !== 'string' || model === '')
    throw new GatewayError('invalid_request', '"model" must be a string that names a model', {
      param: 'model',
    });
  if (model.length > limits.modelNameMax)
    throw new GatewayError('invalid_request', `"model" has at most ${limits.modelNameMax} characters`, {
      param: 'model',
    });
  if (!model.isWellFormed())
    throw new GatewayError('invalid_request', '"model" must not contain an unpaired surrogate', {
      param: 'model',
    });
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    throw new GatewayError('invalid_request', '"stream" must be true or false', { param: 'stream' });
  if (fields.has('messages') && fields.listBytes('messages') === undefined)
    throw new GatewayError('invalid_request', '"messages" must be an array', { param: 'messages' });
  return model;
}
