import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ReminderMailsCard } from '@/features/garage/reminder-mails/components/reminder-mails-card';
import { sevenHere } from '@/features/garage/reminder-mails/mutations';
import { renderScreen } from '@/testing/render';
import { answer, note } from '@/testing/server';

const none: Schemas['ReminderMails'] = {
  rhythm: null,
  hourUtc: null,
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
  expect(sent).toHaveBeenCalledWith({ rhythm: 'weekly', hourUtc: sevenHere(new Date()) });
});

it('ends them', async () => {
  answer('get', '/api/reminders/mails', {
    ...none,
    rhythm: 'daily',
    hourUtc: 7,
    nextAt: '2026-01-02T07:00:00Z',
  });
  const ended = note('delete', '/api/reminders/mails');
  const { person } = renderScreen(<ReminderMailsCard />);
  await person.selectOptions(await screen.findByLabelText('A mail of what is due'), 'Never');
  expect(await screen.findByText('No more mails')).toBeVisible();
  expect(ended).toHaveBeenCalled();
});

it('says that a server without a mail server sends none', async () => {
  answer('get', '/api/reminders/mails', { ...none, sendsMails: false });
  renderScreen(<ReminderMailsCard />);
  expect(await screen.findByText(/has no mail server/)).toBeVisible();
  expect(screen.getByLabelText('A mail of what is due')).toBeDisabled();
});

it.each([
  [0, 7],
  [300, 12],
  [-540, 22],
  [-330, 2],
])('seven in the morning at an offset of %d minutes is %d in UTC', (offset, hour) => {
  const now = new Date();
  now.getTimezoneOffset = () => offset;
  expect(sevenHere(now)).toBe(hour);
});
