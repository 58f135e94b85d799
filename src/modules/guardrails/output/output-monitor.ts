import type { ReplyEvent } from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import { limits } from '../limits.ts';
import type { Policy } from '../policy.ts';

/** For `reply.tap`: finds in an answer what the policy looks for, without changing anything. */
export function createOutputMonitor(
  policy: Policy,
  onFindings: (findings: readonly Finding[]) => void,
): (event: ReplyEvent) => void {
  const blocks = new Map<number, OpenBlock>();
  const scan = (text: string) => {
    const findings = text === '' ? [] : policy.find(text);
    if (findings.length > 0) onFindings(findings);
  };
  const add = (index: number, text: string, isJson: boolean) => {
    const block = blocks.get(index) ?? { text: '', isJson };
    blocks.set(index, block);
    block.text += text;
    if (isJson || block.text.length < limits.scannedAtOnce) return;
    // A finding has few words, so it is seldom split here.
    const end = block.text.lastIndexOf('\n') + 1 || block.text.length;
    scan(block.text.slice(0, end));
    block.text = block.text.slice(end);
  };
  const end = (index: number) => {
    const block = blocks.get(index);
    blocks.delete(index);
    if (block?.isJson) scanJson(block.text, scan);
    else scan(block?.text ?? '');
  };
  return (event) => {
    if (event.type === 'content_block_start') {
      const { content_block: block, index } = event;
      if (block.type === 'text') add(index, block.text, false);
    } else if (event.type === 'content_block_stop') {
      end(event.index);
    } else if (event.type === 'content_block_delta') {
      const { delta, index } = event;
      if (delta.type === 'text_delta') add(index, delta.text, false);
      else if (delta.type === 'thinking_delta') add(index, delta.thinking, false);
      else if (delta.type === 'input_json_delta') add(index, delta.partial_json, true);
    }
  };
}

interface OpenBlock {
  text: string;
  readonly isJson: boolean;
}

/** The strings of tool input; all of it if it isn't JSON. */
function scanJson(json: string, scan: (text: string) => void): void {
  try {
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') scan(value);
      return null;
    });
  } catch {
    scan(json);
  }
}
