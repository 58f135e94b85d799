import { ClientPresence } from '../kernel/client-presence.ts';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { Exchange } from '../kernel/exchange.ts';
import { unresolvedTarget } from '../kernel/provider.ts';
import { Trace } from '../kernel/trace.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ProviderDirectory } from '../providers/provider-directory.ts';
import { requireModel } from './admission.ts';
import type { Aliases } from './aliases/aliases.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import type { Credentials } from './credentials.ts';
import type { PipelineSelector } from './pipeline-selector.ts';

export interface RouteExplainerParts {
  readonly aliases: Pick<Aliases, 'find' | 'resolverFor'>;
  readonly pipelines: PipelineSelector;
  readonly directory: ProviderDirectory;
  readonly credentials: Credentials;
}

/** Explains where a call would go, without counting, changing or sending it. */
export class RouteExplainer {
  readonly #parts: RouteExplainerParts;

  constructor(parts: RouteExplainerParts) {
    this.#parts = parts;
  }

  async explain(id: string, clientRequest: ClientRequest, identity: CallerIdentity): Promise<JsonObject> {
    const { aliases, pipelines, directory, credentials } = this.#parts;
    const model = requireModel(clientRequest);
    const found = directory.find(model);
    const alias = found === undefined ? await aliases.find(identity, model) : undefined;
    const { pipeline } = await pipelines.choose(clientRequest.header('x-weir-pipeline'), identity, alias);
    const target = found ?? unresolvedTarget(model);
    const headers = rawHeadersOf(clientRequest);
    const stickiness = () => exchange.conversation.name;
    const exchange = new Exchange({
      id,
      clientRequest,
      caller: identity.caller,
      target,
      presence: new ClientPresence(),
      trace: new Trace(performance.now()),
      aliases: aliases.resolverFor(identity, alias),
      credentials: credentials.of({ identity, headers, stickiness }, target),
    });
    return pipelines.explainRoute(exchange, pipeline);
  }
}
