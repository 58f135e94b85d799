import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { Activity, Boxes, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { capabilities, keys, models } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useRights } from '../parts/rights.tsx';
import type { NavigationItem } from './places.ts';
import { useActions } from './use-actions.ts';

interface PaletteProps {
  readonly places: readonly NavigationItem[];
  readonly onClose: () => void;
}

const modelsMax = 50;
const item =
  'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm data-[selected=true]:bg-sunken [&>svg]:size-4 [&>svg]:text-muted';
const group =
  '[&>[cmdk-group-heading]]:px-2.5 [&>[cmdk-group-heading]]:py-1.5 [&>[cmdk-group-heading]]:text-xs [&>[cmdk-group-heading]]:text-muted';

/** What has the name comes before a search for it. */
function score(value: string, text: string, keywords?: string[]): number {
  return value.startsWith('search ') ? 0.0001 : (defaultFilter?.(value, text, keywords) ?? 0);
}

/** Everything that has a name, by its name. */
export default function Palette({ places, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const { data: about } = useQuery(capabilities);
  const may = useRights();
  const { data: known = [] } = useQuery(models);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' && may('keys:read') });
  const actions = useActions(about);
  const go = (to: string, search: Record<string, string> = {}) => {
    onClose();
    void navigate({ to, search });
  };
  const asked = text.trim();
  const isId = /^req_[0-9a-f]{32}$/.test(asked);
  const named = known.filter((model) => model.toLowerCase().includes(asked.toLowerCase()));
  return (
    <Dialog open onClose={onClose} title="Find" wide>
      <Command label="Find" loop filter={score}>
        <Command.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder="A page, action, model, key or request id"
          className="h-10 w-full rounded-md border border-line bg-canvas px-3"
        />
        <Command.List className="mt-2 max-h-[50vh] overflow-y-auto">
          <Command.Empty className="px-2.5 py-6 text-center text-sm text-muted">
            Nothing has that name.
          </Command.Empty>
          {isId && (
            <Command.Item className={item} value={text} onSelect={() => go('/requests', { open: asked })}>
              <Activity aria-hidden /> Open request {asked}
            </Command.Item>
          )}
          <Command.Group heading="Pages" className={group}>
            {places.map(({ to, title, icon: Icon }) => (
              <Command.Item key={to} className={item} value={`page ${title}`} onSelect={() => go(to)}>
                <Icon aria-hidden /> {title}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Actions" className={group}>
            {actions.map(({ title, icon: Icon, act }) => (
              <Command.Item
                key={title}
                className={item}
                value={`action ${title}`}
                onSelect={() => {
                  onClose();
                  act();
                }}
              >
                <Icon aria-hidden /> {title}
              </Command.Item>
            ))}
          </Command.Group>
          {asked !== '' && (
            <>
              <Command.Group heading="Models: their calls" className={group}>
                {named.slice(0, modelsMax).map((model) => (
                  <Command.Item
                    key={model}
                    className={item}
                    value={`model ${model}`}
                    onSelect={() => go('/requests', { model })}
                  >
                    <Boxes aria-hidden /> <span className="truncate font-mono text-xs">{model}</span>
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading="Keys" className={group}>
                {(mine?.keys ?? [])
                  .filter(({ revokedAt }) => revokedAt === null)
                  .map(({ id, name, prefix }) => (
                    <Command.Item
                      key={id}
                      className={item}
                      value={`key ${name} ${prefix}`}
                      onSelect={() => go('/keys', { open: id })}
                    >
                      <KeyRound aria-hidden /> <bdi className="truncate">{name === '' ? prefix : name}</bdi>
                    </Command.Item>
                  ))}
              </Command.Group>
              {!isId && (
                <Command.Group heading="Requests" className={group}>
                  <Command.Item
                    className={item}
                    value={`search ${text}`}
                    onSelect={() => go('/requests', { search: asked })}
                  >
                    <Activity aria-hidden /> <span className="truncate">Search the log for “{asked}”</span>
                  </Command.Item>
                </Command.Group>
              )}
            </>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
