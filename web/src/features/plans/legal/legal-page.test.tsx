import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LegalPage } from '@/features/plans/legal/components/legal-page';
import { privacySections } from '@/features/plans/legal/privacy-text';
import { termsSections } from '@/features/plans/legal/terms-text';
import { renderScreen } from '@/testing/render';
import { answer, refuse, settings } from '@/testing/server';

const page = (
  <LegalPage
    title="Privacy Policy"
    date="Last updated August 8, 2025"
    sectionsFor={privacySections}
    other={{ to: '/terms', label: 'Terms and Conditions' }}
  />
);

it('shows the text with its date, the company and the address to write to', async () => {
  renderScreen(page);
  expect(await screen.findByRole('heading', { level: 1, name: 'Privacy Policy' })).toBeVisible();
  expect(screen.getByText('Last updated August 8, 2025')).toBeVisible();
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(9);
  expect(screen.getAllByText(new RegExp(settings.legalEntity)).length).toBeGreaterThan(1);
  expect(screen.getByRole('link', { name: settings.supportEmail })).toBeVisible();
});

it('shows no text without the company that it is about', async () => {
  refuse('get', '/api/settings', { status: 503, detail: 'The server is busy.' });
  const { person } = renderScreen(page);
  expect(await screen.findByText('This text could not be loaded')).toBeVisible();
  expect(screen.queryByRole('heading', { level: 1 })).not.toBeInTheDocument();
  answer('get', '/api/settings', settings);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('heading', { level: 1 })).toBeVisible();
});

// What specification 2, section 2 lists.
it.each([
  /date of birth/,
  /do not sell/,
  /service providers/,
  /children under 13/,
  /access/,
  /update or correct/,
  /opt out of marketing/,
  /withdraw a consent/,
])('the privacy policy has %s', (words) => {
  expect(JSON.stringify(privacySections(settings))).toMatch(words);
});

it.each([
  /at least 13 years old/,
  /verify it against the part/,
  /may also be used to improve the identification/,
  /"as is\\"/,
  /Limitation of liability/,
  /laws of the State of Oregon/,
])('the terms have %s', (words) => {
  expect(JSON.stringify(termsSections(settings))).toMatch(words);
});
