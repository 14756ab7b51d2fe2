import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ContactForm } from '@/features/plans/contact/components/contact-form';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { renderScreen } from '@/testing/render';
import { note, refuse } from '@/testing/server';

const visitor = { name: '', email: '' };
const sendButton = () => screen.getByRole('button', { name: 'Send Message' });

it('asks for name, email and message, and sends nothing without them', async () => {
  const { person } = renderScreen(<ContactForm sender={visitor} />);
  await person.type(screen.getByLabelText(/Name/), 'Bo');
  await person.click(sendButton());
  expect(await screen.findByText('Please fill in all required fields')).toBeVisible();
  expect(screen.getByText('Name, email, and message are required.')).toBeVisible();
  expect(screen.getByLabelText(/Email/)).toHaveFocus();
  expect(screen.getByLabelText(/Message/)).toHaveAttribute('rows', '6');
});

it('sends the message, with the trap empty, and clears the form', async () => {
  const sent = note('post', '/api/contact', null, 202);
  const { person } = renderScreen(<ContactForm sender={{ name: 'Ada', email: 'a@example.org' }} />);
  expect(hasUnsavedWork()).toBe(false);
  await person.type(screen.getByLabelText(/Message/), ' How do I scan? ');
  expect(hasUnsavedWork()).toBe(true);
  expect(isLeavingGuarded()).toBe(true);
  await person.click(sendButton());
  expect(await screen.findByText('Message sent')).toBeVisible();
  expect(hasUnsavedWork()).toBe(false);
  expect(isLeavingGuarded()).toBe(false);
  expect(sent).toHaveBeenCalledWith({
    name: 'Ada',
    email: 'a@example.org',
    subject: null,
    message: 'How do I scan?',
    website: '',
    elapsedMs: expect.any(Number) as number,
  });
  expect(screen.getByLabelText(/Message/)).toHaveValue('');
});

it.each([
  ['The mail server is away.', 'The mail server is away.'],
  ['', 'Please try again later.'],
])('keeps the form when sending fails: %s', async (detail, shown) => {
  refuse('post', '/api/contact', { status: 503, detail });
  const { person } = renderScreen(<ContactForm sender={{ name: 'Ada', email: 'a@example.org' }} />);
  await person.type(screen.getByLabelText(/Message/), 'Hello');
  await person.click(sendButton());
  expect(await screen.findByText('Failed to send message')).toBeVisible();
  expect(screen.getByText(shown)).toBeVisible();
  expect(screen.getByLabelText(/Message/)).toHaveValue('Hello');
});
