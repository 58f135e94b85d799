import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { organization, type Project, projects } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button, Input } from '../../parts/controls.tsx';
import { count, dateOf } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Empty, Failure, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { NameProject } from './name-project.tsx';

/** With a search for those who have more than a few. */
const searchedFrom = 10;

export function Projects() {
  const [search, setSearch] = useState('');
  const list = useInfiniteQuery(projects(useDeferredValue(search.trim())));
  const current = useQuery(organization);
  const client = useQueryClient();
  const [named, setNamed] = useState<Project | 'new'>();
  const [archiving, setArchiving] = useState<Project>();
  const restoring = useMutation({
    mutationFn: (id: string) =>
      told(api.POST('/v1/organization/projects/{id}/restore', { params: { path: { id } }, body: {} })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['projects'] }),
  });
  const mayCreate = useRights()('projects:write');
  const total = list.data?.pages[0]?.total ?? 0;
  return (
    <Page
      title="Projects"
      lead="Parts of the organization with API keys of their own, whose calls and cost are told apart."
      actions={
        mayCreate && (
          <Button look="primary" onClick={() => setNamed('new')}>
            New project
          </Button>
        )
      }
    >
      {(total > searchedFrom || search !== '') && (
        <Input
          type="search"
          className="sm:max-w-72"
          aria-label="Search projects by name"
          placeholder={`Search ${count(total)} projects`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      {restoring.error !== null && <Failure error={restoring.error} />}
      <Together of={[list, current]} loading={<Rows count={4} />}>
        <Loaded of={list} loading={<Rows count={4} />}>
          {({ pages }) =>
            total === 0 && search === '' ? (
              <Empty title="No projects.">
                API keys outside of projects belong to the organization itself.
              </Empty>
            ) : (
              <ul className="flex flex-col">
                {pages
                  .flatMap((page) => page.projects)
                  .map((project) => (
                    <ProjectRow
                      key={project.id}
                      project={project}
                      mayChange={mayCreate || project.role === 'admin'}
                      isBusy={restoring.isPending}
                      onRename={() => setNamed(project)}
                      onArchive={() => setArchiving(project)}
                      onRestore={() => restoring.mutate(project.id)}
                    />
                  ))}
              </ul>
            )
          }
        </Loaded>
      </Together>
      {list.hasNextPage && (
        <Button
          className="self-start"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {named !== undefined && (
        <NameProject renamed={named === 'new' ? undefined : named} onClose={() => setNamed(undefined)} />
      )}
      {archiving !== undefined && (
        <ArchiveProject project={archiving} onClose={() => setArchiving(undefined)} />
      )}
    </Page>
  );
}

interface ProjectRowProps {
  readonly project: Project;
  readonly mayChange: boolean;
  readonly isBusy: boolean;
  readonly onRename: () => void;
  readonly onArchive: () => void;
  readonly onRestore: () => void;
}

function ProjectRow({ project, mayChange, isBusy, onRename, onArchive, onRestore }: ProjectRowProps) {
  const { id, name, role, created_at: createdAt, archived_at: archivedAt } = project;
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5 text-sm">
      <Link
        to="/requests"
        search={{ project: id }}
        className="min-w-0 grow truncate text-accent hover:underline max-sm:basis-full"
        title={`${name}: created ${dateOf(createdAt)}`}
      >
        <bdi>{name}</bdi>
      </Link>
      {archivedAt !== null && <Badge>archived {dateOf(archivedAt)}</Badge>}
      {role !== null && <span className="text-muted">your role: {role}</span>}
      {mayChange && (
        <>
          <Button look="quiet" aria-label={`Rename ${name}`} onClick={onRename}>
            Rename
          </Button>
          {archivedAt === null ? (
            <Button look="quiet" aria-label={`Archive ${name}`} onClick={onArchive}>
              Archive
            </Button>
          ) : (
            <Button look="quiet" busy={isBusy} aria-label={`Restore ${name}`} onClick={onRestore}>
              Restore
            </Button>
          )}
        </>
      )}
    </li>
  );
}

function ArchiveProject({
  project: { id, name },
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const archiving = useMutation({
    mutationFn: () =>
      told(api.POST('/v1/organization/projects/{id}/archive', { params: { path: { id } }, body: {} })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['projects'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Archive ${name}?`}
      lead="Calls with its keys are refused at once. Its calls and keys stay, and you can restore it."
      keep="Keep"
      action="Archive"
      mutation={archiving}
      onClose={onClose}
    />
  );
}
