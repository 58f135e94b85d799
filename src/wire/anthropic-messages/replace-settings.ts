import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { type Target, underlyingModelOf } from '../../kernel/provider.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contextManagementOf } from './foreign-content.ts';
import { capabilitiesOf } from './model-capabilities.ts';
import { supportedEffort, thinkingSettingsOf } from './thinking.ts';

/** Thinking and effort as the generation of the target's model has them. */
export function replaceSettings(request: ChatRequest, target: Target, fields: FieldReader): JsonObject {
  const { thinking, ...others } = request;
  const { output_config: config } = request;
  const capabilities = capabilitiesOf(underlyingModelOf(target));
  if (capabilities.thinkingControl === 'by effort')
    return {
      ...(thinking?.type === 'enabled' && { thinking: { type: 'adaptive' } }),
      ...(config?.effort != null && {
        output_config: { ...config, effort: supportedEffort(config.effort, capabilities) },
      }),
    };
  const { effort = 'high', ...rest } = config ?? {};
  const isEnabled = thinking?.type === 'enabled';
  const { thinking: budget } = isEnabled
    ? { thinking }
    : thinkingSettingsOf({ ...others, output_config: { effort } }, capabilities, new Set());
  const output_config = Object.keys(rest).length === 0 ? undefined : rest;
  return {
    thinking: budget,
    output_config,
    ...(budget?.type !== 'enabled' &&
      contextManagementOf({ context_management: fields.get('context_management') })),
  };
}
