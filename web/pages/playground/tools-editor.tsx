import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, Field, IconButton, Input, TextArea } from '../../parts/controls.tsx';
import type { ToolDraft } from './draft.ts';

interface ToolsEditorProps {
  readonly tools: readonly ToolDraft[];
  readonly onChange: (tools: readonly ToolDraft[]) => void;
}

const newTool: ToolDraft = {
  name: 'get_weather',
  description: 'The weather in a city.',
  schema: `{
  "type": "object",
  "properties": { "city": { "type": "string" } },
  "required": ["city"]
}`,
};

/** Tools that the model may call. Their results are typed in by hand. */
export function ToolsEditor({ tools, onChange }: ToolsEditorProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Tools</legend>
      {tools.map((tool, index) => (
        <ToolFields
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
          key={index}
          tool={tool}
          onChange={(changed) => onChange(tools.with(index, changed))}
          onRemove={() => onChange(tools.toSpliced(index, 1))}
        />
      ))}
      <Button look="quiet" className="-ml-3 self-start" onClick={() => onChange([...tools, newTool])}>
        <Plus aria-hidden className="size-3.5" /> Add a tool
      </Button>
    </fieldset>
  );
}

interface ToolFieldsProps {
  readonly tool: ToolDraft;
  readonly onChange: (tool: ToolDraft) => void;
  readonly onRemove: () => void;
}

/** A new one is open; those of a recorded request may be many. */
function ToolFields({ tool, onChange, onRemove }: ToolFieldsProps) {
  const [isOpen, setOpen] = useState(tool === newTool);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-md border border-line px-3 py-2"
    >
      <summary className="cursor-pointer font-mono text-xs wrap-anywhere">
        <bdi>{tool.name === '' ? 'Without a name' : tool.name}</bdi>
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        <div className="flex items-end gap-1">
          <div className="min-w-0 grow">
            <Field label="Name">
              {(field) => (
                <Input
                  {...field}
                  maxLength={64}
                  className="font-mono text-xs!"
                  value={tool.name}
                  onChange={(event) => onChange({ ...tool, name: event.target.value.trim() })}
                />
              )}
            </Field>
          </div>
          <IconButton label={`Remove ${tool.name}`} onClick={onRemove}>
            <X aria-hidden />
          </IconButton>
        </div>
        <Field label="Description">
          {(field) => (
            <Input
              {...field}
              value={tool.description}
              onChange={(event) => onChange({ ...tool, description: event.target.value })}
            />
          )}
        </Field>
        <Field label="Schema of its arguments">
          {(field) => (
            <TextArea
              {...field}
              rows={5}
              spellCheck={false}
              className="font-mono text-xs!"
              value={tool.schema}
              onChange={(event) => onChange({ ...tool, schema: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
