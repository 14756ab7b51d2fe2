import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { JudgeCard } from '@/features/judge/components/judge-card';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

const judge: Schemas['Judge'] = {
  host: 'api.example.com',
  model: 'eye-1',
  onThisMachine: false,
  inPlan: true,
  allowed: false,
  today: { spentMicroDollars: 3500, limitMicroDollars: 1_000_000 },
  thisMonth: { spentMicroDollars: 9_900_000, limitMicroDollars: 10_000_000 },
};

const open = (facts: Partial<Schemas['Judge']> = {}, inCompany = false) => {
  answer('get', '/api/judge', { ...judge, ...facts });
  return renderScreen(<JudgeCard inCompany={inCompany} />);
};

it('says that no photo leaves a server without a vision-LLM', async () => {
  open({ host: null, model: null });
  expect(await screen.findByText(/This server asks no vision-LLM/)).toBeVisible();
  expect(screen.getByText('Photos stay on this server')).toBeVisible();
  expect(screen.queryByRole('switch')).not.toBeInTheDocument();
});

it('asks before photos may leave, and says what was spent', async () => {
  const sent = vi.fn();
  server.use(
    http.put('/api/judge', async ({ request }) => {
      sent(await request.json());
      answer('get', '/api/judge', { ...judge, allowed: true });
      return HttpResponse.json({ ...judge, allowed: true });
    }),
  );
  const { person } = open();
  expect(await screen.findByText('$0.0035 of $1.00')).toBeVisible();
  expect(screen.getByRole('meter', { name: 'This month' })).toHaveAttribute('aria-valuenow', '99');
  await person.click(screen.getByRole('switch', { name: 'Allow a second opinion' }));
  expect(
    await screen.findByRole('dialog', { name: 'Let photos leave this server?' }),
  ).toHaveTextContent('api.example.com');
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(sent).not.toHaveBeenCalled();
  await person.click(screen.getByRole('switch'));
  await person.click(await screen.findByRole('button', { name: 'Allow' }));
  await waitFor(() => {
    expect(sent).toHaveBeenCalledWith({ allowed: true });
  });
  expect(await screen.findByText('Photos may leave this server')).toBeVisible();
});

it('stops without a question', async () => {
  const sent = vi.fn();
  server.use(
    http.put('/api/judge', async ({ request }) => {
      sent(await request.json());
      return HttpResponse.json(judge);
    }),
  );
  const { person } = open({ allowed: true }, true);
  await person.click(await screen.findByRole('switch'));
  expect(screen.getByText('Holds for all members of your company.')).toBeVisible();
  await waitFor(() => {
    expect(sent).toHaveBeenCalledWith({ allowed: false });
  });
});

it('needs no question where the vision-LLM runs on the server itself', async () => {
  answer('put', '/api/judge', { ...judge, allowed: true });
  const { person } = open({ onThisMachine: true });
  await person.click(await screen.findByRole('switch'));
  expect(await screen.findByText('Allowed')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('names a plan that lacks it, and a refusal', async () => {
  refuse('put', '/api/judge', { status: 403, code: 'forbidden', detail: 'Only a manager can.' });
  const { person } = open({ inPlan: false, allowed: true });
  expect(await screen.findByText('Your plan does not include it.')).toBeVisible();
  await person.click(screen.getByRole('switch'));
  expect(await screen.findByText('Only a manager can.')).toBeVisible();
});
