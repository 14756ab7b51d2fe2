import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const reminderMailsQuery = () =>
  readQuery(['reminders', 'mails'], (signal) => client.GET('/api/reminders/mails', { signal }));
