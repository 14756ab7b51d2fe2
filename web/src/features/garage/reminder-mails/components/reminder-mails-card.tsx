import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { useToast } from '@/components/ui/use-toast';
import {
  reminderMailMutations,
  type Rhythm,
} from '@/features/garage/reminder-mails/mutations';
import { reminderMailsQuery } from '@/features/garage/reminder-mails/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatScanTime } from '@/lib/format';

const CHOICES: readonly { rhythm: Rhythm | null; label: string }[] = [
  { rhythm: null, label: 'No mails' },
  { rhythm: 'daily', label: 'In the morning of days on which something is new' },
  { rhythm: 'weekly', label: 'On Monday morning, while anything is due' },
];

/** Whether mails tell what is due on one's vehicles. */
export function ReminderMailsCard() {
  const mails = useQuery(reminderMailsQuery());
  return (
    <SettingsCard
      title="Reminders by Mail"
      description="What is overdue or due soon on your vehicles, in one mail."
    >
      <QueryState query={mails} what="Your reminders" label="Loading reminders" rows={1} />
      {mails.data != null && <Choice mails={mails.data} />}
    </SettingsCard>
  );
}

type ChoiceProps = { mails: Schemas['ReminderMails'] };

function Choice({ mails }: ChoiceProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const choose = useMutation({
    mutationFn: reminderMailMutations.choose,
    onSuccess: (_, rhythm) =>
      toast({ title: rhythm === null ? 'No more mails' : 'Reminders come by mail' }),
    onError: (error) => fail(error, 'Please try again.', 'This was not saved'),
  });
  const chosen = choose.isPending ? choose.variables : mails.rhythm;
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="sr-only">When mails come</legend>
        {CHOICES.map(({ rhythm, label }) => (
          <label key={label} className="flex min-h-9 items-center gap-3 text-sm">
            <input
              type="radio"
              name="reminder-mails"
              checked={chosen === rhythm}
              // Without a mail server there is nothing to choose but to have none.
              disabled={choose.isPending || (!mails.sendsMails && rhythm !== null)}
              onChange={() => choose.mutate(rhythm)}
              className="size-5 shrink-0 accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <p className="text-sm text-muted empty:hidden">{remarkOf(mails)}</p>
    </>
  );
}

function remarkOf({ sendsMails, emailVerified, rhythm, nextAt }: Schemas['ReminderMails']) {
  if (!sendsMails) return 'This server sends no mails: whoever runs it has set no mail server.';
  if (rhythm === null) return null;
  if (!emailVerified) return 'Mails come once you have confirmed your e-mail address.';
  return nextAt === null ? null : `The next one is due on ${formatScanTime(nextAt)}.`;
}
