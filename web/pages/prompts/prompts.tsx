import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ListedPrompt, prompts } from '../../api/queries.ts';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { ago, count } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { EditPrompt } from './edit-prompt.tsx';
import { Prompt } from './prompt.tsx';

const route = getRouteApi('/prompts');

/** Templates of calls, with versions and labels: all of them, or the one in the address. */
export function Prompts() {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (name: string | undefined) =>
    void navigate({ search: name === undefined ? {} : { open: name } });
  return open === undefined ? (
    <PromptList onOpen={show} />
  ) : (
    <Prompt key={open} name={open} onClose={() => show(undefined)} />
  );
}

function PromptList({ onOpen }: { readonly onOpen: (name: string) => void }) {
  const list = useQuery(prompts);
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Prompts"
      lead="Templates that calls name. Write a version, try it, and move a label to it when it is good."
      actions={
        <Allowed right="settings:write">
          <Button look="primary" onClick={() => setCreating(true)}>
            New prompt
          </Button>
        </Allowed>
      }
    >
      <Loaded of={list} loading={<Rows count={4} />}>
        {({ prompts: all }) =>
          all.length === 0 ? (
            <Empty title="No prompts yet.">
              Create one such as <code className="font-mono text-xs">support</code>, and set{' '}
              <code className="font-mono text-xs">prompt:support</code> as the model in your client.
            </Empty>
          ) : (
            <ul aria-label="Prompts" className="flex flex-col">
              {all.map((prompt) => (
                <PromptRow key={prompt.name} prompt={prompt} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && (
        <EditPrompt
          onClose={() => setCreating(false)}
          onStored={(name) => {
            setCreating(false);
            onOpen(name);
          }}
        />
      )}
    </Page>
  );
}

function PromptRow({
  prompt: { name, latest, versions, labels, updatedAt },
}: {
  readonly prompt: ListedPrompt;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
      <span className="flex min-w-0 grow basis-48 items-center">
        <Link
          to="/prompts"
          search={{ open: name }}
          className="min-w-0 truncate font-mono text-sm font-medium hover:underline"
          title={name}
        >
          {name}
        </Link>
        <CopyButton text={`prompt:${name}`} label={`Copy prompt:${name}`} />
      </span>
      <span className="flex flex-wrap gap-1.5">
        {labels.map(({ label, version }) => (
          <Badge key={label} tone="accent">
            {label} → {version}
          </Badge>
        ))}
      </span>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        version {latest}, {count(versions)} in all, {ago(updatedAt)}
      </span>
      <Link
        to="/requests"
        search={{ tag: `weir.prompt:${name}` }}
        className="text-xs text-accent hover:underline"
        aria-label={`Calls with ${name}`}
      >
        Calls
      </Link>
    </li>
  );
}
