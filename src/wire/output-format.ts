import type { ChatRequest, OutputFormat } from '../kernel/message.ts';
import { objectOf } from './json-values.ts';

/** The requested format: in `output_config`, or in its former field. */
export function outputFormatOf(request: ChatRequest): OutputFormat | undefined {
  const format = request.output_config?.format;
  if (format != null) return format;
  const schema = objectOf(objectOf('output_format' in request ? request.output_format : undefined)?.schema);
  return schema === undefined ? undefined : { type: 'json_schema', schema };
}
