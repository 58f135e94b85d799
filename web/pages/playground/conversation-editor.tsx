import { Plus } from 'lucide-react';
import { callsOf, type Turn } from '../../parts/chat/chat.ts';
import { Button, Field, TextArea } from '../../parts/controls.tsx';
import { type Draft, textTurn } from './draft.ts';
import { TurnEditor } from './turn-editor.tsx';

interface ConversationEditorProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The system prompt and all messages. */
export function ConversationEditor({ draft: { system, turns }, onChange }: ConversationEditorProps) {
  const set = (index: number, turn: Turn | undefined) =>
    onChange({
      turns: turns.flatMap((one, at) => (at !== index ? [one] : turn === undefined ? [] : [turn])),
    });
  const next = turns.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Field label="System prompt">
        {(field) => (
          <TextArea
            {...field}
            rows={2}
            className="min-h-12!"
            placeholder="None"
            value={system}
            onChange={(event) => onChange({ system: event.target.value })}
          />
        )}
      </Field>
      {turns.map((turn, index) => (
        <TurnEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and keep their order
          key={index}
          turn={turn}
          number={index + 1}
          calls={callsOf(turns[index - 1]?.content ?? [])}
          onChange={(changed) => set(index, changed)}
          onRemove={turns.length === 1 ? undefined : () => set(index, undefined)}
        />
      ))}
      <Button
        look="quiet"
        className="-ml-3 self-start"
        onClick={() => onChange({ turns: [...turns, textTurn(next, '')] })}
      >
        <Plus aria-hidden className="size-3.5" /> Add {next === 'user' ? 'a user' : 'an assistant'} message
      </Button>
    </div>
  );
}
