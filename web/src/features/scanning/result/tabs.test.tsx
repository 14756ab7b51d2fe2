import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { readPart, rotorView } from '@/testing/fixtures';
import { hrefOf } from '@/testing/render';
import { openScanResult } from '@/testing/scan-result';
import { answer } from '@/testing/server';

it('shows where the part sits, and what it sits among', async () => {
  const { person } = openScanResult(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  const pictures = within(await screen.findByRole('region', { name: 'Where it sits' }));
  expect(
    pictures.getByRole('img', { name: 'Brake Rotor, pointed out on a car from the side' }),
  ).toBeVisible();
  expect(
    pictures.getByRole('img', { name: 'Brake Rotor, pointed out among the parts around it' }),
  ).toBeVisible();
});

it('offers videos as searches', async () => {
  const { person } = openScanResult(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Videos' }));
  expect(screen.getByText('intermediate')).toBeVisible();
  expect(hrefOf(/Watch/)).toBe(
    'https://www.youtube.com/results?search_query=2015%20Honda%20Civic%20brake%20rotor',
  );
});

it('says so when there are no videos and no instructions', async () => {
  const { person } = openScanResult({
    ...rotorView,
    identification: { ...rotorView.identification, installationVideos: [] },
    part: { ...rotorView.part, installationInstructions: '' },
  });
  await person.click(screen.getByRole('tab', { name: 'Videos' }));
  expect(screen.getByText('No installation videos available for this part')).toBeVisible();
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getByText('No installation instructions available for this part')).toBeVisible();
});

it('shows a step and a tool that stand twice in the instructions twice', async () => {
  const warned = vi.spyOn(console, 'error');
  const { person } = openScanResult({
    ...rotorView,
    part: {
      ...rotorView.part,
      installationInstructions: '1. Clean it.\n2. Grease it.\n3. Clean it.',
      toolsRequired: 'Wrench, Wrench',
    },
  });
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getAllByText('Clean it.')).toHaveLength(2);
  expect(screen.getAllByText('Wrench')).toHaveLength(2);
  expect(warned).not.toHaveBeenCalled();
});

it('says where to buy', async () => {
  const { person } = openScanResult(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Where to Buy' }));
  expect(screen.getByText('$35 - $120')).toBeVisible();
  expect(hrefOf('NAPA')).toContain('napaonline.com');
  expect(hrefOf('Corner Garage')).toContain('Corner%20Garage');
  expect(screen.getByRole('link', { name: 'Search All Suppliers' })).toBeVisible();
});

it.each([
  ['named', '2015 Honda Civic Brake Rotor 0986479R51'],
  ['contradicts', '2015 Honda Civic Brake Rotor'],
] as const)('looks for a part that its number has %s as %s', async (says, words) => {
  const reading: Schemas['ScanReading'] = {
    state: 'read',
    lines: [],
    parts: [{ ...readPart, says }],
    readAt: null,
  };
  answer('get', '/api/scans/scan-1/reading', reading);
  const { person } = openScanResult({ ...rotorView, id: 'scan-1' });
  await screen.findByText(/^Its number says/);
  await person.click(screen.getByRole('tab', { name: 'Where to Buy' }));
  const searched = encodeURIComponent(words);
  expect(hrefOf('Search All Suppliers')).toMatch(new RegExp(`buy%20${searched}$`));
  expect(hrefOf('NAPA')).toMatch(new RegExp(`${searched}$`));
});

it('shows the steps, warns of hard work, and folds away', async () => {
  const { person } = openScanResult(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getByText('Raise the car.')).toBeVisible();
  expect(screen.getByText('17 mm socket')).toBeVisible();
  expect(screen.getByText('This is hard work')).toBeVisible();
  expect(screen.getByText(/mind your toes/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Hide' }));
  expect(screen.queryByText('Raise the car.')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Show' })).toBeVisible();
});
