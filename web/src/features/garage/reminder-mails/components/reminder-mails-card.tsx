import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { NotificationsSwitch } from '@/features/garage/push/components/notifications-switch';
import { isRhythm, reminderMailMutations } from '@/features/garage/reminder-mails/mutations';
import { reminderMailsQuery } from '@/features/garage/reminder-mails/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatScanTime } from '@/lib/format';

/** Whether mails and this browser tell what is due on one's vehicles. */
export function ReminderMailsCard() {
  const mails = useQuery(reminderMailsQuery());
  return (
    <SettingsCard title="Reminders">
      <QueryState query={mails} what="Your reminders" label="Loading reminders" rows={1} />
      {mails.data != null && <Choice mails={mails.data} />}
      <NotificationsSwitch />
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
      toast(
        rhythm === null
          ? { title: 'No more mails', description: 'What is due is still shown in the app.' }
          : { title: 'Reminders come by mail', description: 'You can end them here at any time.' },
      ),
    onError: (error) => fail(error, 'Please try again.', 'This was not saved'),
  });
  const chosen = choose.isPending ? choose.variables : mails.rhythm;
  return (
    <SelectField
      label="A mail of what is due"
      hint={remarkOf(mails)}
      value={chosen ?? ''}
      // Without a mail server there is nothing to choose but to have none.
      disabled={choose.isPending || (!mails.sendsMails && mails.rhythm === null)}
      onChange={({ target }) => choose.mutate(isRhythm(target.value) ? target.value : null)}
    >
      <option value="">Never</option>
      <option value="daily">Each morning, if something is new</option>
      <option value="weekly">On Monday morning</option>
    </SelectField>
  );
}

function remarkOf({ sendsMails, emailVerified, rhythm, nextAt }: Schemas['ReminderMails']): string {
  if (!sendsMails) return 'This server has no mail server, so it sends none.';
  if (rhythm === null) return 'What is overdue or due soon on your vehicles, at about seven.';
  if (!emailVerified) return 'Mails come once you have confirmed your e-mail address.';
  return `The next one may come on ${formatScanTime(nextAt)}.`;
}
