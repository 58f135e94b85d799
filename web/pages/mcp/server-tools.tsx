import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type McpServer, type McpServerTool, mcpServerTools } from '../../api/queries.ts';
import { Button, Code, Input, Switch } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count } from '../../parts/format.ts';
import { Badge, Empty, Failure, Loaded, Rows } from '../../parts/states.tsx';
import { storedDefinition } from './server-definition.ts';
import { switchTool } from './switch-tool.ts';
import { useSeenTools } from './use-seen-tools.ts';
import { useServersChanged } from './use-servers-changed.ts';

interface ServerToolsProps {
  readonly server: McpServer;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

/** With a search for those who have more than a few. */
const searchedFrom = 10;
const shownMost = 100;

/** The tools of a server with their definitions, and which of them are offered. */
export function ServerTools({ server, mayChange, onClose }: ServerToolsProps) {
  const { name } = server;
  const list = useQuery(mcpServerTools(name));
  const [search, setSearch] = useState('');
  const seen = useSeenTools(name, list.data?.tools);
  const changed = useServersChanged();
  const switching = useMutation({
    mutationFn: (change: { readonly tool: McpServerTool; readonly isOffered: boolean }) => {
      const { tools: _, ...definition } = storedDefinition(server);
      const tools = switchTool(server.tools, change.tool.name, change.isOffered);
      const body = { ...definition, ...(tools !== undefined && { tools }) };
      return told(api.PUT('/v1/mcp/servers/{name}', { params: { path: { name } }, body }));
    },
    onSuccess: () => changed(),
  });
  const tools = list.data?.tools ?? [];
  const unseen = tools.filter((tool) => seen.stateOf(tool) !== 'seen');
  const found = tools.filter((tool) => tool.name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <Dialog open wide onClose={onClose} title={`Tools of ${name}`} lead={leadOf(tools, seen.isFirst)}>
      {tools.length > searchedFrom && (
        <Input
          type="search"
          aria-label="Search tools by name"
          placeholder={`Search ${count(tools.length)} tools`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      {!seen.isFirst && unseen.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-sunken px-3 py-2 text-sm">
          <span>
            {count(unseen.length)} {unseen.length === 1 ? 'definition is' : 'definitions are'} new or changed
            since they were last read here.
          </span>
          <Button look="quiet" onClick={seen.note}>
            Mark as read
          </Button>
        </div>
      )}
      {switching.error !== null && <Failure error={switching.error} />}
      <Loaded of={list} loading={<Rows count={4} />}>
        {() =>
          tools.length === 0 ? (
            <Empty title="This server has no tools." />
          ) : found.length === 0 ? (
            <p className="py-2 text-sm text-muted">No tool has this in its name.</p>
          ) : (
            <ul aria-label={`Tools of ${name}`} className="flex flex-col">
              {found.slice(0, shownMost).map((tool) => (
                <ToolRow
                  key={tool.name}
                  tool={tool}
                  state={seen.isFirst ? 'seen' : seen.stateOf(tool)}
                  isBusy={switching.isPending}
                  onSwitch={
                    mayChange && tool.switchable
                      ? (isOffered) => switching.mutate({ tool, isOffered })
                      : undefined
                  }
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {found.length > shownMost && (
        <p className="text-xs text-muted">
          The first {count(shownMost)} of {count(found.length)}: search for others.
        </p>
      )}
    </Dialog>
  );
}

function leadOf(tools: readonly McpServerTool[], isFirst: boolean): string {
  if (tools.length === 0) return 'As the server describes them now.';
  const offered = tools.filter((tool) => tool.offered).length;
  const counted = `${count(offered)} of ${count(tools.length)} are offered.`;
  return isFirst ? `${counted} From now on, this browser marks definitions that change.` : counted;
}

interface ToolRowProps {
  readonly tool: McpServerTool;
  readonly state: 'seen' | 'new' | 'changed';
  readonly isBusy: boolean;
  /** Undefined if it can't be switched here. */
  readonly onSwitch: ((isOffered: boolean) => void) | undefined;
}

function ToolRow({ tool, state, isBusy, onSwitch }: ToolRowProps) {
  const { name, description, annotations, input_schema: schema, offered } = tool;
  return (
    <li className="flex items-start gap-3 border-b border-line py-3">
      <div className="flex min-w-0 grow flex-col gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-sm font-medium wrap-anywhere">{name}</code>
          {marksOf(annotations).map(([mark, tone]) => (
            <Badge key={mark} tone={tone}>
              {mark}
            </Badge>
          ))}
          {state !== 'seen' && <Badge tone="refused">{state}</Badge>}
          {!offered && <Badge>not offered</Badge>}
        </span>
        {description !== null && (
          <p className="line-clamp-3 text-xs whitespace-pre-line text-muted wrap-anywhere">{description}</p>
        )}
        <details className="min-w-0 text-xs">
          <summary className="w-fit cursor-pointer text-muted hover:text-ink">Definition</summary>
          <div className="mt-2">
            <Code label={`Schema of ${name}`} text={JSON.stringify(schema, null, 2)} />
          </div>
        </details>
      </div>
      {onSwitch !== undefined && (
        <Switch label={`Offer ${name}`} isOn={offered} disabled={isBusy} onChange={onSwitch} />
      )}
    </li>
  );
}

/** What the server says of a tool; nobody has checked that. */
function marksOf(annotations: McpServerTool['annotations']) {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  const marks: (readonly [string, 'saved' | 'failed' | 'plain'])[] = [];
  if (readOnlyHint === true) marks.push(['reads only', 'saved']);
  else if (destructiveHint === true) marks.push(['destructive', 'failed']);
  if (idempotentHint === true && readOnlyHint !== true) marks.push(['repeatable', 'plain']);
  return marks;
}
