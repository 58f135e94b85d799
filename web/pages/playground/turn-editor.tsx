import { X } from 'lucide-react';
import type { ChatBlock, ToolUse, Turn } from '../../parts/chat/chat.ts';
import { Field, IconButton, TextArea } from '../../parts/controls.tsx';
import { Blocks } from '../../parts/conversation/blocks.tsx';
import { AddImage } from './add-image.tsx';

interface TurnEditorProps {
  readonly turn: Turn;
  /** Names the turn for those who can't see where it stands. */
  readonly number: number;
  /** The calls of the turn before, which this one has results for. */
  readonly calls: readonly ToolUse[];
  readonly onChange: (turn: Turn) => void;
  readonly onRemove: (() => void) | undefined;
}

/** One message: its text, its images, and the results of tools. What a model called is shown, not edited. */
export function TurnEditor({ turn, number, calls, onChange, onRemove }: TurnEditorProps) {
  const { role, content } = turn;
  const shown: readonly ChatBlock[] = content.some(({ type }) => type === 'text')
    ? content
    : [...content, { type: 'text', text: '' }];
  const set = (index: number, block: ChatBlock | undefined) =>
    onChange({
      role,
      content: shown.flatMap((one, at) => (at !== index ? [one] : block === undefined ? [] : [block])),
    });
  const title = `${role === 'user' ? 'User' : 'Assistant'} message ${number}`;
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between">
        <h2 className="text-sm font-medium">{role === 'user' ? 'User' : 'Assistant'}</h2>
        <div className="flex items-center">
          {role === 'user' && (
            <AddImage onAdd={(image) => onChange({ role, content: [...content, image] })} />
          )}
          {onRemove !== undefined && (
            <IconButton label={`Remove ${title.toLowerCase()}`} onClick={onRemove}>
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      </div>
      {shown.map((block, index) => (
        <BlockEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name, and keep their order
          key={index}
          block={block}
          title={title}
          calls={calls}
          onChange={(next) => set(index, next)}
        />
      ))}
    </section>
  );
}

interface BlockEditorProps {
  readonly block: ChatBlock;
  readonly title: string;
  readonly calls: readonly ToolUse[];
  /** Undefined removes it. */
  readonly onChange: (block: ChatBlock | undefined) => void;
}

function BlockEditor({ block, title, calls, onChange }: BlockEditorProps) {
  switch (block.type) {
    case 'text':
      return (
        <TextArea
          aria-label={title}
          rows={3}
          placeholder={calls.length > 0 ? 'Text beside the results (optional)' : 'Text'}
          value={block.text}
          onChange={(event) => onChange({ type: 'text', text: event.target.value })}
        />
      );
    case 'tool_result': {
      const name = calls.find(({ id }) => id === block.tool_use_id)?.name ?? block.tool_use_id;
      return (
        <div className="flex flex-col gap-1.5">
          <Field label={`Result of ${name}`}>
            {(field) => (
              <TextArea
                {...field}
                rows={2}
                className="font-mono text-xs!"
                value={block.content}
                onChange={(event) => onChange({ ...block, content: event.target.value })}
              />
            )}
          </Field>
          <label className="flex items-center gap-2 text-xs text-muted">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={block.is_error ?? false}
              onChange={(event) => onChange({ ...block, is_error: event.target.checked })}
            />
            The tool failed
          </label>
        </div>
      );
    }
    case 'image':
      return (
        <div className="flex items-start gap-1">
          <Blocks blocks={[{ ...block }]} />
          <IconButton label="Remove the image" onClick={() => onChange(undefined)}>
            <X aria-hidden />
          </IconButton>
        </div>
      );
    default:
      return <Blocks blocks={[{ ...block }]} />;
  }
}
