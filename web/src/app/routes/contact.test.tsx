import { screen } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, it } from 'vitest';
import { ContactRoute } from '@/app/routes/contact';
import { renderScreen } from '@/testing/render';
import { refuse, server } from '@/testing/server';

it('keeps what is typed while the account that could not be read is asked for again', async () => {
  refuse('get', '/api/auth/user', { status: 503, detail: 'Busy.' });
  const { person, queryClient } = renderScreen(<ContactRoute />);
  await person.type(await screen.findByLabelText(/Message/), 'Hello');
  server.use(http.get('/api/auth/user', () => delay('infinite')));
  void queryClient.refetchQueries();
  await person.type(screen.getByLabelText(/Message/), ', you');
  expect(screen.getByLabelText(/Message/)).toHaveValue('Hello, you');
});
