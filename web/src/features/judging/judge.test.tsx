import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { JudgeCard } from '@/features/judging/components/judge-card';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse, settings } from '@/testing/server';

const judge: Schemas['Judge'] = {
  host: 'api.example.com',
  model: 'eye-1',
  onThisMachine: false,
  inPlan: true,
  allowed: false,
  allowedByCompany: null,
  refusedByYou: false,
  mayChange: true,
  today: {
    spentMicroDollars: 3500,
    limitMicroDollars: 1_000_000,
    chosenMicroDollars: null,
    mostMicroDollars: 1_000_000,
  },
  thisMonth: {
    spentMicroDollars: 9_900_000,
    limitMicroDollars: 10_000_000,
    chosenMicroDollars: 10_000_000,
    mostMicroDollars: 50_000_000,
  },
};

const open = (facts: Partial<Schemas['Judge']> = {}) => {
  answer('get', '/api/judge', { ...judge, ...facts });
  return renderScreen(<JudgeCard />);
};

it('says that no photo leaves a server without a vision-LLM', async () => {
  open({ host: null, model: null });
  expect(await screen.findByText(/This server asks no vision-LLM/)).toBeVisible();
  expect(screen.getByText('Photos are not sent')).toBeVisible();
  expect(screen.queryByRole('switch')).not.toBeInTheDocument();
});

it('says that nothing leaves a server that is set to zero egress', async () => {
  answer('get', '/api/settings', { ...settings, zeroEgress: true });
  open({ host: null, model: null });
  expect(await screen.findByText(/Nothing leaves this server/)).toBeVisible();
});

it('asks before photos may leave, and says what was spent', async () => {
  const sent = note('put', '/api/judge', { ...judge, allowed: true });
  const { person } = open();
  expect(await screen.findByText('$0.0035 of $1.00')).toBeVisible();
  expect(screen.getByRole('meter', { name: 'This month' })).toHaveAttribute('aria-valuenow', '99');
  expect(screen.getByText('Days and months are in UTC.')).toBeVisible();
  await person.click(screen.getByRole('switch', { name: 'Allow a second opinion' }));
  expect(
    await screen.findByRole('dialog', { name: 'Let photos leave this server?' }),
  ).toHaveTextContent('api.example.com');
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(sent).not.toHaveBeenCalled();
  answer('get', '/api/judge', { ...judge, allowed: true });
  await person.click(screen.getByRole('switch'));
  await person.click(await screen.findByRole('button', { name: 'Allow' }));
  await waitFor(() => expect(sent).toHaveBeenCalledWith({ allowed: true }));
  expect(await screen.findByText('Photos may be sent')).toBeVisible();
});

it('stops without a question', async () => {
  const sent = note('put', '/api/judge', judge);
  const { person } = open({ allowed: true, allowedByCompany: true });
  await person.click(await screen.findByRole('switch', { name: /in your company/ }));
  expect(screen.getByText(/An offer to all members/)).toBeVisible();
  await waitFor(() => expect(sent).toHaveBeenCalledWith({ allowed: false }));
});

it('needs no question where the vision-LLM runs on the server itself', async () => {
  answer('put', '/api/judge', { ...judge, allowed: true });
  const { person } = open({ onThisMachine: true });
  await person.click(await screen.findByRole('switch'));
  expect(await screen.findByText('Allowed')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('names a plan that lacks it, and a refusal', async () => {
  refuse('put', '/api/judge', { status: 403, detail: 'Only a manager can.' });
  const { person } = open({ inPlan: false, allowed: true });
  expect(await screen.findByText('Your plan does not include it.')).toBeVisible();
  await person.click(screen.getByRole('switch'));
  expect(await screen.findByText('Only a manager can.')).toBeVisible();
});

it('saves a budget in dollars, and says what is wrong with one', async () => {
  const today = { ...judge.today, chosenMicroDollars: 500_000, limitMicroDollars: 500_000 };
  const sent = note('put', '/api/judge/budget', { ...judge, today });
  const { person } = open();
  const day = await screen.findByRole('textbox', { name: 'Limit per day, in dollars' });
  expect(screen.getByRole('textbox', { name: 'Limit per month, in dollars' })).toHaveValue('10.00');
  const save = screen.getByRole('button', { name: 'Save Budget' });
  expect(save).toHaveAttribute('aria-disabled', 'true');
  for (const [typed, said] of [
    ['much', /Please enter an amount in dollars/],
    ['1.01', /At most \$1\.00, which is all that this server allows/],
  ] as const) {
    await person.clear(day);
    await person.type(day, typed);
    await person.click(save);
    expect(await screen.findByText(said)).toBeVisible();
    expect(day).toHaveFocus();
  }
  expect(sent).not.toHaveBeenCalled();
  answer('get', '/api/judge', { ...judge, today });
  await person.clear(day);
  await person.type(day, '$0.50');
  await person.click(save);
  expect(await screen.findByText('Budget saved')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ dayMicroDollars: 500_000, monthMicroDollars: 10_000_000 });
  expect(await screen.findByText('$0.0035 of $0.50')).toBeVisible();
});

it('leaves what another manager set meanwhile, and shows it', async () => {
  const spring = (month: number) => ({
    ...judge,
    thisMonth: { ...judge.thisMonth, chosenMicroDollars: month },
  });
  const sent = note('put', '/api/judge/budget', spring(20_000_000));
  const { person, queryClient } = open();
  const day = await screen.findByRole('textbox', { name: 'Limit per day, in dollars' });
  const month = screen.getByRole('textbox', { name: 'Limit per month, in dollars' });
  await person.type(day, '0.2');
  queryClient.setQueryData(['judge'], spring(15_000_000));
  await waitFor(() => {
    expect(month).toHaveValue('15.00');
  });
  expect(day).toHaveValue('0.2');
  // Of the next change nothing has come here yet.
  answer('get', '/api/judge', spring(20_000_000));
  await person.click(screen.getByRole('button', { name: 'Save Budget' }));
  expect(await screen.findByText('Budget saved')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ dayMicroDollars: 200_000, monthMicroDollars: 20_000_000 });
});

it('shows a refused budget beside its field', async () => {
  refuse('put', '/api/judge/budget', {
    status: 422,
    code: 'validation',
    detail: 'This server allows at most $0.1 a day.',
    field: 'dayMicroDollars',
  });
  const { person } = open();
  const day = await screen.findByRole('textbox', { name: 'Limit per day, in dollars' });
  await person.type(day, '0.2');
  await person.click(screen.getByRole('button', { name: 'Save Budget' }));
  expect(await screen.findByText('This server allows at most $0.1 a day.')).toBeVisible();
  expect(day).toHaveValue('0.2');
});

it('lets a member who does not manage the company decide for their own scans alone', async () => {
  open({ mayChange: false, allowed: true, allowedByCompany: true });
  expect(await screen.findByText('$0.0035 of $1.00')).toBeVisible();
  expect(screen.getByRole('switch')).toHaveAccessibleName('For my own scans');
  expect(screen.getByText(/Only those who manage your company can change this./)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Save Budget' })).not.toBeInTheDocument();
});

it('lets a member refuse for their own scans, whatever the company allows', async () => {
  const member = { ...judge, allowedByCompany: true, mayChange: false };
  const sent = note('put', '/api/judge/own', { ...member, refusedByYou: true });
  const { person } = open({ ...member, allowed: true });
  expect(await screen.findByText(/Your company allows it for its members/)).toBeVisible();
  answer('get', '/api/judge', { ...member, refusedByYou: true });
  await person.click(screen.getByRole('switch', { name: 'For my own scans' }));
  expect(await screen.findByText('Stopped')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ allowed: false });
  expect(await screen.findByText('Photos are not sent')).toBeVisible();
  // Taking it back lets photos leave, which is asked for twice.
  await person.click(screen.getByRole('switch'));
  expect(
    await screen.findByRole('dialog', { name: 'Let photos leave this server?' }),
  ).toBeVisible();
});

it('says that a yes of ones own changes nothing where the company has not allowed it', async () => {
  const closed = { ...judge, allowedByCompany: false, mayChange: false };
  answer('put', '/api/judge/own', closed);
  const { person } = open({ ...closed, refusedByYou: true });
  expect(await screen.findByText(/Your company does not allow it/)).toBeVisible();
  await person.click(screen.getByRole('switch', { name: 'For my own scans' }));
  expect(
    await screen.findByText('Nothing is sent as long as your company does not allow it.'),
  ).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});
