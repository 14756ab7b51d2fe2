import { useMutation } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { AlertDialog, DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Question } from '@/components/ui/question';
import { useToast } from '@/components/ui/use-toast';
import { bodyOfItem, ENGINE_OIL } from '@/features/garage/maintenance/model';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';

type ItemMenuProps = {
  vehicleId: string;
  item: Schemas['MaintenanceItem'];
  onShow: (dialog: 'edit' | 'snooze') => void;
};

/** What else can be done with an item. */
export function ItemMenu({ vehicleId, item, onShow }: ItemMenuProps) {
  const { set, remove, snooze } = useChanges(vehicleId, item.name);
  const [asking, setAsking] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const isOff = item.state === 'off';
  const isOwn = !item.scheduled && item.item !== ENGINE_OIL;
  const entries: [string, () => void][] = [['Change interval or last time', () => onShow('edit')]];
  if (item.snoozedUntil !== null) {
    entries.push(['End snooze', () => snooze.mutate({ item: item.item, until: null })]);
  } else if (item.dueDate !== null && !isOff) {
    entries.push(['Snooze', () => onShow('snooze')]);
  }
  entries.push([
    isOff ? 'Turn on' : 'Turn off',
    () => set.mutate({ item: item.item, body: bodyOfItem(item, isOff) }),
  ]);
  if (isOwn) {
    entries.push(['Remove reminder', () => setAsking(true)]);
  } else if (item.ownInterval) {
    // To remove what was set would forget the last time and the snooze as well.
    const body = { ...bodyOfItem(item, !isOff), intervalMonths: null, intervalMiles: null };
    entries.push(['Back to the usual interval', () => set.mutate({ item: item.item, body })]);
  }
  return (
    <>
      {/* Not modal: a dialog that an entry opens would find the page still locked. */}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button ref={trigger} look="ghost" size="icon" aria-label={`More for ${item.name}`}>
            <EllipsisVertical className="size-4" aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            collisionPadding={12}
            className="z-50 min-w-56 animate-fade rounded-lg border bg-raised p-1.5 shadow-float"
          >
            {entries.map(([label, act]) => (
              <DropdownMenu.Item key={label} onSelect={act} className="menu-entry">
                {label}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <AlertDialog.Root open={asking} onOpenChange={setAsking}>
        <Question
          title={`Remove ${item.name}?`}
          description="Its interval and when it was last done go with it. This cannot be undone."
          confirmLabel="Remove Reminder"
          cancelLabel="Cancel"
          onConfirm={() => remove.mutate(item.item)}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.focus();
          }}
        />
      </AlertDialog.Root>
    </>
  );
}

function useChanges(vehicleId: string, name: string) {
  const toast = useToast();
  const fail = useFailureToast();
  const onError = (error: Error) =>
    fail(error, 'The reminder could not be changed. Please try again.');
  return {
    set: useMutation({
      mutationFn: maintenanceMutations.set(vehicleId),
      onSuccess: ({ state }) =>
        toast({
          title: state === 'off' ? 'Reminder turned off' : 'Reminder saved',
          description: name,
        }),
      onError,
    }),
    remove: useMutation({
      mutationFn: maintenanceMutations.remove(vehicleId),
      onSuccess: () => toast({ title: 'Reminder removed', description: name }),
      onError,
    }),
    snooze: useMutation({
      mutationFn: maintenanceMutations.snooze(vehicleId),
      onSuccess: () => toast({ title: 'Snooze ended', description: `${name} gives alerts again.` }),
      onError,
    }),
  };
}
