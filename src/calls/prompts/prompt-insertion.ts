import { operatorPays, scopeOf } from '../../kernel/caller.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { replaceFields } from '../../kernel/json/replace-fields.ts';
import { formatPromptVersion, type PromptVersion } from '../../kernel/prompt.ts';
import type { CallerIdentity } from '../caller-authenticator.ts';
import { limits } from '../limits.ts';
import type { AccountPrompts } from './account-prompts.ts';
import { type PromptReference, readPromptReference } from './prompt-reference.ts';
import { renderPrompt } from './render-prompt.ts';

/** Puts stored prompts into the calls that name one, before anything else reads their messages. */
export class PromptInsertion {
  readonly #prompts: Pick<AccountPrompts, 'find' | 'versionOf'>;

  constructor(prompts: Pick<AccountPrompts, 'find' | 'versionOf'>) {
    this.#prompts = prompts;
  }

  /** The same request if it names none. Guests have no prompts. */
  async insert(clientRequest: ClientRequest, identity: CallerIdentity): Promise<ClientRequest> {
    const { caller, accountId, key } = identity;
    const reference = operatorPays(caller) ? undefined : readPromptReference(clientRequest);
    if (reference === undefined) return clientRequest;
    const scope = scopeOf(caller);
    const version = key?.version ?? (await this.#prompts.versionOf(accountId));
    const call = { clientRequest, accountId, scope, reference };
    try {
      return await this.#insert(call, version);
    } catch (thrown) {
      // The account may have changed since the caller was identified.
      const current = await this.#prompts.versionOf(accountId);
      if (current === version) throw thrown;
      return this.#insert(call, current);
    }
  }

  async #insert(
    { clientRequest, accountId, scope, reference }: PromptedCall,
    accountVersion: string,
  ): Promise<ClientRequest> {
    const { wire, fields, routing } = clientRequest;
    const { name, selector, variables, isModel } = reference;
    const { version, prompt } = await this.#prompts.find({ accountId, name }, selector, accountVersion);
    const rendered = renderPrompt(version, prompt, variables);
    const needsModel = isModel || routing.model == null;
    if (needsModel && rendered.model === undefined) throw noModelError(version);
    if (wire.insertPrompt === undefined)
      throw new GatewayError('invalid_request', 'calls to this endpoint can’t use stored prompts', {
        param: 'prompt',
      });
    const { changes, path = clientRequest.path } = wire.insertPrompt(
      { ...rendered, model: needsModel ? rendered.model : undefined },
      clientRequest,
    );
    const bytes = replaceFields(fields, new Map([...changes, ['prompt', undefined]]));
    if (bytes.byteLength > limits.promptedBodyBytesMax)
      throw new GatewayError(
        'body_too_large',
        `with prompt "${formatPromptVersion(version)}" the body is larger than ${limits.promptedBodyBytesMax} bytes`,
      );
    return clientRequest.withPrompt(version, LazyJsonObject.ofCall(bytes, scope), path);
  }
}

interface PromptedCall {
  readonly clientRequest: ClientRequest;
  readonly accountId: string;
  readonly scope: string;
  readonly reference: PromptReference;
}

function noModelError(version: PromptVersion): GatewayError {
  return new GatewayError(
    'invalid_request',
    `prompt "${formatPromptVersion(version)}" names no model; name one in the call, as in {"model": "…", "prompt": {"name": "${version.name}"}}`,
    { param: 'model' },
  );
}
