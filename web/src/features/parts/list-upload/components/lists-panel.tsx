import { useMutation, type UseQueryResult } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useId, useRef, useState, type ReactNode } from 'react';
import { DeleteButton } from '@/components/delete-button';
import { EmptyState } from '@/components/empty-state';
import { InBusiness } from '@/components/in-business';
import { ManagersOnly } from '@/components/managers-only';
import { Logbook } from '@/components/pictures';
import { QueryState } from '@/components/query-state';
import { UndoableRow, UndoRow } from '@/components/undo-row';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useToast } from '@/components/ui/use-toast';
import { useHasDraft } from '@/hooks/use-draft';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate } from '@/lib/format';

type UploadedList = { id: string; name: string; publishedAt: string; deletedAt: string | null };

type ListsPanelProps<List> = {
  /** Whether the plan includes uploads. */
  inPlan: boolean;
  /** Whether the viewer may change what the shop shares; undefined until that is known. */
  mayChange: boolean | undefined;
  /** What the plan that includes them is for. */
  offer: string;
  /** What the lists are: `Price lists`. */
  what: string;
  lists: UseQueryResult<List[] | null>;
  /** What to do while there are none. */
  advice: string;
  facts: (list: List) => ReactNode;
  /** What is asked before a list is deleted, and what becomes of it. */
  question: string;
  consequence: (list: List) => string;
  mutations: Record<'remove' | 'restore', (id: string) => Promise<unknown>>;
  draftKey: string;
  dialog: (onClose: () => void) => ReactNode;
};

/** The lists of the shop, and the way to bring one in; deleted and replaced ones can be brought back for 30 days. */
export function ListsPanel<List extends UploadedList>({
  inPlan,
  mayChange,
  offer,
  what,
  lists,
  advice,
  facts,
  question,
  consequence,
  mutations,
  draftKey,
  dialog,
}: ListsPanelProps<List>) {
  const titleId = useId();
  const plural = what.toLowerCase();
  const heading = useRef<HTMLHeadingElement>(null);
  const [uploading, setUploading] = useState(useHasDraft(draftKey));
  const toast = useToast();
  const fail = useFailureToast();
  const onError = (error: Error) => fail(error, 'That did not work. Please try again.');
  const remove = useMutation({
    mutationFn: ({ id }: UploadedList) => mutations.remove(id),
    onSuccess: (_, { name }) => toast({ title: 'List deleted', description: name }),
    onError,
  });
  const restore = useMutation({
    mutationFn: ({ id }: UploadedList) => mutations.restore(id),
    onSuccess: (_, { name }) => toast({ title: 'List is back', description: name }),
    onError,
  });
  const mayUpload = inPlan && mayChange === true;
  const upload = mayUpload && (
    <Button look="primary" onClick={() => setUploading(true)}>
      <Upload className="size-4" aria-hidden />
      Upload a List
    </Button>
  );
  return (
    <>
      {!inPlan && <InBusiness>{offer}</InBusiness>}
      <Card aria-labelledby={titleId} className="grid grid-cols-1 content-start gap-4">
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-3">
          <h2 id={titleId} ref={heading} tabIndex={-1} className="section-title">
            Lists of your shop
          </h2>
          {upload}
        </header>
        {mayChange === false && <ManagersOnly />}
        <QueryState query={lists} what={`The ${plural}`} label={`Loading the ${plural}`} />
        {lists.data !== undefined && (lists.data?.length ?? 0) === 0 && (
          <EmptyState picture={<Logbook />} title={`No ${plural} yet`} action={upload}>
            {advice}
          </EmptyState>
        )}
        <ul aria-label={what} className="divide-y empty:hidden">
          {lists.data?.map((list) => {
            const isReplaced = list.deletedAt !== null && isNameTaken(list, lists.data ?? []);
            return (
              <UndoableRow key={list.id}>
                {list.deletedAt === null ? (
                  <div className="flex items-start gap-2 py-3">
                    <div className="grid min-w-0 flex-1 gap-1">
                      <p className="font-medium wrap-anywhere">{list.name}</p>
                      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
                        {facts(list)}
                        <span>Since {formatDate(list.publishedAt)}</span>
                      </p>
                    </div>
                    {mayChange === true && (
                      <DeleteButton
                        label={`Delete ${list.name}`}
                        title={question}
                        description={`${consequence(list)} ${inPlan ? 'You' : 'On Business you'} can bring the list back for 30 days.`}
                        confirmLabel="Delete"
                        pending={remove.isPending}
                        focusOnConfirm={heading}
                        onConfirm={() => remove.mutateAsync(list)}
                      />
                    )}
                  </div>
                ) : (
                  <UndoRow
                    text={goneText(list.name, list.deletedAt, isReplaced)}
                    what={list.name}
                    pending={restore.isPending}
                    onUndo={isReplaced || !mayUpload ? null : () => restore.mutate(list)}
                  />
                )}
              </UndoableRow>
            );
          })}
        </ul>
      </Card>
      {uploading && dialog(() => setUploading(false))}
    </>
  );
}

/** What stands in the place of a list that is no longer in force. */
function goneText(name: string, deletedAt: string, isReplaced: boolean): string {
  const when = `${name}, deleted or replaced ${formatDate(deletedAt)}`;
  return isReplaced ? `${when}. Delete the newer list of this name first to bring it back.` : when;
}

/** Whether a list in force has its name, by which the server would replace it. */
function isNameTaken(list: UploadedList, lists: readonly UploadedList[]): boolean {
  return lists.some((one) => one.deletedAt === null && keyOf(one) === keyOf(list));
}

/** By what the server compares names of lists. */
function keyOf({ name }: UploadedList): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
