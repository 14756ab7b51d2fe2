import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { AiFill } from '@/components/ai-fill';
import { askable, filled } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';

const refused = (reason: string): Schemas['AiFill'] => ({
  ...askable,
  status: 'not-asked',
  reason,
});

type Answer = () => Promise<{ ai: Schemas['AiFill'] }>;

const open = (ai: Schemas['AiFill'], answer: Answer = () => Promise.resolve({ ai })) => {
  const ask = vi.fn(answer);
  const remove = vi.fn(() => Promise.resolve());
  const { person, container } = renderScreen(
    <AiFill ai={ai} what="The oil of this car" sends="names" ask={ask} remove={remove} />,
  );
  return { person, container, ask, remove };
};

it('offers to ask, and says what goes out', async () => {
  const { person, ask } = open(askable);
  expect(screen.getByText(/it gets names, and nothing else/)).toBeVisible();
  expect(screen.queryByText('AI, verify')).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(ask).toHaveBeenCalledOnce();
});

it('marks what was filled in, says by whom and when, and takes it back', async () => {
  const { person, remove } = open(filled);
  expect(screen.getByText('AI, verify')).toBeVisible();
  expect(screen.getByText(/eye-1 filled this in on Jan 15, 2027/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Ask the AI' })).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Wrong? Remove' }));
  expect(remove).toHaveBeenCalledOnce();
});

it('lets only those remove who may', () => {
  open({ ...filled, mayRemove: false });
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

it('waits', async () => {
  const { person } = open(askable, () => new Promise(() => undefined));
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByRole('button', { name: 'Asking...' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  expect(screen.getByRole('status')).toHaveTextContent('Asking the AI');
});

it('says that the model does not know', () => {
  open({ ...askable, status: 'not-known', model: 'eye-1', filledAt: filled.filledAt });
  expect(screen.getByText(/gave no usable answer/)).toBeVisible();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

it('leads to what would help where one may not ask', () => {
  open(refused('not-allowed'));
  expect(hrefOf('Allow a Second Opinion')).toBe('/shop/accuracy');
  open(refused('not-in-plan'));
  expect(hrefOf('See Plans')).toBe('/pricing');
});

it('is silent on a server without a language model', () => {
  const { container } = open(refused('not-configured'));
  expect(container.querySelector('[role=group]')).toBeNull();
});

it('says why nothing came, and lets one try again', async () => {
  const { person } = open(askable, () => Promise.resolve({ ai: refused('tenant-day-budget') }));
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByText(/spent in a day is spent/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Ask the AI' })).toBeEnabled();
});

it('says whose turn it is where the key is rejected', () => {
  open(refused('key-rejected'));
  expect(screen.getByText(/Ask whoever runs this server to check it/)).toBeVisible();
  expect(screen.queryByText(/Try again later/)).not.toBeInTheDocument();
});

it('says that it could not be asked', async () => {
  const { person } = open(askable, () => Promise.reject(new Error('no')));
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByText('The AI could not be asked. Please try again.')).toBeVisible();
});

it('forgets why nothing came once what is there is removed', async () => {
  const { person } = open({ ...filled, status: 'askable' }, () => Promise.reject(new Error('no')));
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  const failure = await screen.findByText('The AI could not be asked. Please try again.');
  await person.click(screen.getByRole('button', { name: 'Wrong? Remove' }));
  await waitFor(() => {
    expect(failure).not.toBeInTheDocument();
  });
});

/** A screen that shows what the last answer says, as the refetch after each change does. */
function Bench({ answer }: { answer: () => Promise<Schemas['AiFill']> }) {
  const [ai, setAi] = useState(askable);
  const ask = async () => {
    const next = await answer();
    if (next.status !== 'not-asked') setAi(next);
    return { ai: next };
  };
  const remove = () => {
    setAi(askable);
    return Promise.resolve();
  };
  return <AiFill ai={ai} what="The oil" sends="its name" ask={ask} remove={remove} />;
}

const panel = () => screen.getByRole('group', { name: 'Filled in by AI' });
const status = () => screen.getByRole('status');

it('says what came of it, and keeps the focus where the button was', async () => {
  const { person } = renderScreen(<Bench answer={() => Promise.resolve(filled)} />);
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByRole('button', { name: 'Wrong? Remove' })).toBeVisible();
  expect(status()).toHaveTextContent('The AI has answered');
  expect(panel()).toHaveFocus();
  await person.click(screen.getByRole('button', { name: 'Wrong? Remove' }));
  expect(await screen.findByRole('button', { name: 'Ask the AI' })).toBeVisible();
  expect(status()).toHaveTextContent('What the AI said is removed');
  expect(panel()).toHaveFocus();
});

it('says why the AI has not answered, on a button that keeps the focus', async () => {
  const { person } = renderScreen(<Bench answer={() => Promise.resolve(refused('timed-out'))} />);
  const button = screen.getByRole('button', { name: 'Ask the AI' });
  await person.click(button);
  expect(await screen.findByRole('alert')).toHaveTextContent('It took too long.');
  expect(button).toHaveFocus();
});

it('says that the session ended, and nothing else', async () => {
  const ended = new ApiError(401, 'Unauthorized', 'not-signed-in', 'Unauthorized', null, '');
  const { person } = renderScreen(<Bench answer={() => Promise.reject(ended)} />);
  await person.click(screen.getByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  expect(panel()).not.toHaveTextContent('Unauthorized');
});
