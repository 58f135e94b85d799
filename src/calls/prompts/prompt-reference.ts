import type { ClientRequest } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { invalidFieldError, unknownFieldsError } from '../../kernel/input-validation.ts';
import { isConfigurationName } from '../../kernel/pipeline-list.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';

/** Which version of a prompt is meant: a number, or a label. */
export type PromptSelector = number | string;

/** The label of the newest version, which every prompt has. */
export const latestLabel = 'latest';

/** What a call says about its prompt. */
export interface PromptReference {
  readonly name: string;
  readonly selector: PromptSelector;
  readonly variables: ReadonlyMap<string, string>;
  /** Whether the call asks for the model of the prompt. */
  readonly isModel: boolean;
}

const modelPrefix = 'prompt:';
const openBrace = 123;
const versionPattern = /^[1-9]\d{0,8}$/;
const labelPattern = new RegExp(`^[A-Za-z][A-Za-z0-9_.-]{0,${limits.promptWordMax - 1}}$`);

export const promptNameRule =
  'has up to 64 letters, digits and .-_ only, and begins with a letter or a digit';
export const labelRule = `has up to ${limits.promptWordMax} letters, digits and .-_ only, and begins with a letter`;

export function isPromptName(name: string): boolean {
  return isConfigurationName(name);
}

/** Of a label that people can set. */
export function isLabelName(label: string): boolean {
  return labelPattern.test(label) && label !== latestLabel;
}

/** Whether a name of a model names a prompt: `prompt:support@prod`. */
export function isPromptModel(model: unknown): model is string {
  return typeof model === 'string' && model.startsWith(modelPrefix);
}

/** Whether a call may use a stored prompt; decided without parsing anything. */
export function mayNamePrompt({ fields, routing, relay }: ClientRequest): boolean {
  return relay === undefined && (isPromptModel(routing.model) || fields.bytesOf('prompt')?.[0] === openBrace);
}

/** Undefined if a call uses no stored prompt. OpenAI's own prompts have an `id` in place of a `name`, and stay as they are. */
export function readPromptReference(clientRequest: ClientRequest): PromptReference | undefined {
  if (!mayNamePrompt(clientRequest)) return undefined;
  const { fields, routing } = clientRequest;
  const isModel = isPromptModel(routing.model);
  const named = objectIn(fields.get('prompt'));
  const isOurs = named !== undefined && Object.hasOwn(named, 'name');
  if (!isModel && !isOurs) return undefined;
  if (named !== undefined && Object.hasOwn(named, 'id'))
    throw invalidFieldError(
      'has an "id", which names a prompt of OpenAI; send either "id" or "name"',
      'prompt',
    );
  const field = named === undefined ? undefined : readField(named);
  const inModel = isModel ? readModel(routing.model) : undefined;
  const name = inModel?.name ?? field?.name;
  if (name === undefined) throw invalidFieldError('must be a text', 'prompt.name');
  requireAgreement(inModel, field);
  return {
    name,
    selector: inModel?.selector ?? field?.selector ?? latestLabel,
    variables: field?.variables ?? new Map(),
    isModel,
  };
}

/** Reads what follows the name in `support@prod`, or in `version` and `label`. */
export function readSelector(text: string, param: string): PromptSelector {
  if (versionPattern.test(text)) return Number(text);
  if (labelPattern.test(text)) return text;
  throw invalidFieldError(`must be a version such as 3, or a label, which ${labelRule}`, param);
}

interface NamedPrompt {
  readonly name: string | undefined;
  readonly selector: PromptSelector | undefined;
}

function readModel(model: string): NamedPrompt & { readonly name: string } {
  const [name = '', ...rest] = model.slice(modelPrefix.length).split('@');
  const selector = rest.length === 0 ? undefined : readSelector(rest.join('@'), 'model');
  return { name: requireName(name, 'model'), selector };
}

function readField(prompt: JsonObject): NamedPrompt & Pick<PromptReference, 'variables'> {
  const { name, label, version, variables, ...others } = prompt;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw unknownFieldsError(unknown, 'fields of "prompt"');
  return {
    name: name === undefined ? undefined : requireName(name, 'prompt.name'),
    selector: readFieldSelector(label, version, 'prompt.'),
    variables: readVariables(variables, 'prompt.variables'),
  };
}

/** `prefix` names the object that the fields are in. */
export function readFieldSelector(
  label: unknown,
  version: unknown,
  prefix: string,
): PromptSelector | undefined {
  if (label != null && version != null)
    throw invalidFieldError('send either "label" or "version"', `${prefix}label`);
  if (version != null) {
    if (!versionPattern.test(typeof version === 'number' ? String(version) : textOf(version)))
      throw invalidFieldError('must be a number such as 3', `${prefix}version`);
    return Number(version);
  }
  if (label == null) return undefined;
  if (!labelPattern.test(textOf(label)))
    throw invalidFieldError(`must be a label, which ${labelRule}`, `${prefix}label`);
  return textOf(label);
}

/** Values by name. Names that objects inherit are names like others. */
export function readVariables(variables: unknown, param: string): ReadonlyMap<string, string> {
  if (variables == null) return new Map();
  if (!isJsonObject(variables)) throw invalidFieldError('must be an object of texts', param);
  const entries = Object.entries(variables);
  if (entries.length > limits.promptVariablesMax)
    throw invalidFieldError(
      `has ${entries.length} values, and the maximum is ${limits.promptVariablesMax}`,
      param,
    );
  return new Map(
    entries.map(([name, value]) => {
      if (typeof value !== 'string') throw invalidFieldError('must be a text', `${param}.${name}`);
      if (!value.isWellFormed())
        throw invalidFieldError('must not contain an unpaired surrogate', `${param}.${name}`);
      return [name, value];
    }),
  );
}

function requireName(name: unknown, param: string): string {
  if (typeof name === 'string' && isPromptName(name)) return name;
  throw invalidFieldError(`the name of a prompt ${promptNameRule}`, param);
}

/** A call may name its prompt twice, if it names the same. */
function requireAgreement(inModel: NamedPrompt | undefined, field: NamedPrompt | undefined): void {
  if (inModel === undefined || field === undefined) return;
  const isSame =
    (field.name ?? inModel.name) === inModel.name &&
    (field.selector === undefined || inModel.selector === undefined || field.selector === inModel.selector);
  if (!isSame)
    throw new GatewayError(
      'invalid_request',
      'prompt: "model" names another prompt, or another version of it',
      {
        param: 'prompt',
      },
    );
}

function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
