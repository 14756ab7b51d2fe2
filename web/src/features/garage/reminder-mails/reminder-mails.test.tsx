import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ReminderMailsCard } from '@/features/garage/reminder-mails/components/reminder-mails-card';
import { mondayAtSeven } from '@/features/garage/reminder-mails/mutations';
import { renderScreen } from '@/testing/render';
import { answer, note } from '@/testing/server';

const none: Schemas['ReminderMails'] = {
  rhythm: null,
  hourUtc: null,
  weekdayUtc: null,
  nextAt: null,
  sendsMails: true,
  emailVerified: true,
};

it('lets somebody have mails', async () => {
  answer('get', '/api/reminders/mails', none);
  const sent = note('put', '/api/reminders/mails', { ...none, rhythm: 'weekly' });
  const { person } = renderScreen(<ReminderMailsCard />);
  await person.selectOptions(
    await screen.findByLabelText('A mail of what is due'),
    'On Monday morning',
  );
  expect(await screen.findByText('Reminders come by mail')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ rhythm: 'weekly', ...mondayAtSeven(new Date()) });
});

it('says that a server without a mail server sends none', async () => {
  answer('get', '/api/reminders/mails', { ...none, sendsMails: false });
  renderScreen(<ReminderMailsCard />);
  expect(await screen.findByText(/has no mail server/)).toBeVisible();
  expect(screen.getByLabelText('A mail of what is due')).toBeDisabled();
});

it.each([
  [0, 7, 1],
  [300, 12, 1],
  [600, 17, 1],
  [-330, 2, 1],
  [-540, 22, 7],
  [-840, 17, 7],
])('Monday at seven at an offset of %d minutes is %d on day %d in UTC', (offset, hour, day) => {
  const now = new Date();
  now.getTimezoneOffset = () => offset;
  expect(mondayAtSeven(now)).toEqual({ hourUtc: hour, weekdayUtc: day });
});
