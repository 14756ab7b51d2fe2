import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { OilTile } from '@/features/garage/oil/components/oil-tile';
import { ownOilSchema, SAFETY_TIPS, sourceText, specRows } from '@/features/garage/oil/model';
import { checkForm } from '@/lib/form-schema';
import { askable, civic, filled } from '@/testing/fixtures';
import { confirm, readAnew, renderLeavable, renderScreen } from '@/testing/render';
import { answer, refuse, refuseLater, server } from '@/testing/server';

const PATH = '/api/vehicles/ai/oil-specs/Honda/Civic/2015';
const table: Schemas['ValueBasis'] = { source: 'table', confidence: 0.9, basis: 'Our table.' };
const specs: Schemas['OilSpecs'] = {
  oilType: '0W-20',
  oilCapacity: '3.9 quarts',
  oilCapacityQuarts: 3.9,
  oilFilter: ['Honda 15400-PLM-A02'],
  changeInterval: '7,500 miles or 12 months, whichever comes first',
  changeIntervalMiles: 7500,
  changeIntervalMonths: 12,
  recommendedBrands: [],
  notes: '',
  standard: null,
  engine: null,
  hasOilLifeMonitor: false,
  source: 'table',
  basis: {
    oilType: table,
    oilCapacity: { ...table, source: 'owner', confidence: null },
    oilFilter: [table],
    changeInterval: null,
    standard: null,
  },
  verify: "Check your owner's manual before you buy or pour oil.",
  ai: null,
};

it('says where a value comes from', () => {
  expect(sourceText(table)).toBe('From our table, 90% sure');
  expect(sourceText({ ...table, source: 'owner' })).toBe('Entered by you');
});

it.each([
  [0.48, '48% sure, verify'],
  [0.9, null],
])('says on the tile of a value of our table that it is %f sure', async (confidence, note) => {
  const guess = { ...table, confidence };
  answer('get', PATH, { ...specs, basis: { ...specs.basis, oilType: guess } });
  renderScreen(<OilTile vehicle={civic} />);
  expect(await screen.findByText('0W-20')).toBeVisible();
  if (note === null) expect(screen.queryByText(/sure/)).not.toBeInTheDocument();
  else expect(screen.getByText(note)).toBeVisible();
});

it.each([
  ['oilType', 'Type: common value'],
  ['oilCapacity', 'Capacity: common value'],
])('says on the tile which of two values is not the owner’s: %s', async (value, note) => {
  const own: Schemas['ValueBasis'] = { source: 'owner', confidence: null, basis: 'Yours.' };
  const common: Schemas['ValueBasis'] = { ...own, source: 'fallback' };
  const basis = { ...specs.basis, oilType: own, oilCapacity: own, [value]: common };
  answer('get', PATH, { ...specs, source: 'owner', basis });
  renderScreen(<OilTile vehicle={civic} />);
  expect(await screen.findByText(note)).toBeVisible();
});

it.each([
  [['Honda Genuine'], 'Honda Genuine (named by the maker), or any brand of this grade and quality'],
  [[], 'Any brand of this grade and quality'],
])('names the brands %j', (recommendedBrands, value) => {
  const row = specRows({ ...specs, recommendedBrands }).find(({ term }) => term === 'Brands');
  expect(row?.value).toBe(value);
  const none = specRows({ ...specs, source: 'none' });
  expect(none.some(({ term }) => term === 'Brands')).toBe(false);
});

it('marks what a language model filled in, and has it filled in on request', async () => {
  const said: Schemas['ValueBasis'] = { source: 'ai', confidence: null, basis: 'eye-1 said so.' };
  const answered: Schemas['OilSpecs'] = {
    ...specs,
    source: 'ai',
    basis: { ...specs.basis, oilType: said },
    ai: filled,
  };
  answer('get', PATH, { ...specs, source: 'fallback', ai: askable });
  answer('get', '/api/vehicles/vehicle-1/oil', null);
  server.use(
    http.post('/api/vehicles/vehicle-1/oil/ai', () => {
      answer('get', PATH, answered);
      return HttpResponse.json(answered);
    }),
  );
  const { person } = renderScreen(<OilTile vehicle={civic} />);
  expect(await screen.findByText('Common values')).toBeVisible();
  await person.click(screen.getByRole('button', { name: /Oil & Filter/ }));
  await person.click(await screen.findByRole('button', { name: 'Ask the AI' }));
  expect(await screen.findByRole('button', { name: 'Wrong? Remove' })).toBeVisible();
  expect(sourceText(said)).toBe('AI, verify');
  expect(screen.getAllByText('AI, verify').length).toBeGreaterThan(1);
});

it('reads the owner’s own values', () => {
  const empty = { oilType: '', oilCapacityQuarts: '', oilFilter: '' };
  expect(checkForm(ownOilSchema, { ...empty, oilCapacityQuarts: '4,4' })).toEqual({
    ok: true,
    body: { oilType: null, oilCapacityQuarts: 4.4, oilFilter: null },
  });
  expect(checkForm(ownOilSchema, { ...empty, oilCapacityQuarts: 'much' })).toMatchObject({
    refusal: { fields: ['oilCapacityQuarts'] },
  });
  expect(checkForm(ownOilSchema, empty).ok).toBe(false);
});

describe('OilTile', () => {
  it('is disabled without a vehicle', () => {
    renderScreen(<OilTile vehicle={null} />);
    const tile = screen.getByRole('button', { name: /Oil & Filter/ });
    expect(tile).toBeDisabled();
    expect(tile).toHaveTextContent('TypeSelect VehicleCapacity-');
  });

  it('opens the specification with four safety tips', async () => {
    answer('get', PATH, specs);
    answer('get', '/api/vehicles/vehicle-1/oil', null);
    const { person } = renderScreen(<OilTile vehicle={civic} />);
    expect(await screen.findByText('3.9 quarts')).toBeVisible();
    await person.click(screen.getByRole('button', { name: /Oil & Filter/ }));
    expect(await screen.findByRole('dialog', { name: 'Oil Specification' })).toBeVisible();
    expect(screen.getByText('Honda 15400-PLM-A02')).toBeVisible();
    expect(SAFETY_TIPS).toHaveLength(4);
    for (const tip of SAFETY_TIPS) expect(screen.getByText(tip)).toBeVisible();
    await person.click(await screen.findByRole('button', { name: 'Enter your own values' }));
    expect(screen.getByLabelText('Oil type')).toHaveFocus();
  });

  it('keeps what is typed of one’s own values while they cannot be read anew', async () => {
    const OWN = '/api/vehicles/vehicle-1/oil';
    answer('get', PATH, specs);
    answer('get', OWN, null);
    const { person, queryClient } = renderScreen(<OilTile vehicle={civic} />);
    await person.click(await screen.findByRole('button', { name: /Oil & Filter/ }));
    await person.click(await screen.findByRole('button', { name: 'Enter your own values' }));
    await person.type(screen.getByLabelText('Filter'), 'Mann');
    refuse('get', OWN, { status: 503, detail: 'Busy.' });
    await readAnew(queryClient);
    expect(screen.getByLabelText('Filter')).toHaveValue('Mann');
  });

  it('tells whoever has left meanwhile that one’s own values were not saved', async () => {
    answer('get', PATH, specs);
    answer('get', '/api/vehicles/vehicle-1/oil', null);
    const busy = { status: 503, detail: 'Busy.' };
    const end = refuseLater('put', '/api/vehicles/vehicle-1/oil', busy);
    const { person, leave } = renderLeavable(<OilTile vehicle={civic} />);
    await person.click(await screen.findByRole('button', { name: /Oil & Filter/ }));
    await person.click(await screen.findByRole('button', { name: 'Enter your own values' }));
    await person.type(screen.getByLabelText('Filter'), 'Mann');
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await leave();
    end();
    expect(await screen.findByText('Busy.')).toBeVisible();
  });

  it.each(['{Escape}', 'Close'])('asks before %s throws away one’s own values', async (way) => {
    answer('get', PATH, specs);
    answer('get', '/api/vehicles/vehicle-1/oil', null);
    const { person } = renderScreen(<OilTile vehicle={civic} />);
    await person.click(await screen.findByRole('button', { name: /Oil & Filter/ }));
    await person.click(await screen.findByRole('button', { name: 'Enter your own values' }));
    await person.type(screen.getByLabelText('Filter'), 'Mann');
    const close = async () => {
      if (way === 'Close') await person.click(screen.getByText(way));
      else await person.keyboard(way);
    };
    await close();
    await confirm(person, 'Keep Editing');
    expect(screen.getByLabelText('Filter')).toHaveValue('Mann');
    await close();
    await confirm(person, 'Leave');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('falls back to common values, and says why the modal is empty', async () => {
    server.use(http.get(PATH, () => new HttpResponse(null, { status: 500 })));
    const { person } = renderScreen(<OilTile vehicle={civic} />);
    expect(await screen.findByText('5W-30')).toBeVisible();
    expect(screen.getByText('4.5 quarts')).toBeVisible();
    expect(screen.getByText('Common values')).toBeVisible();
    await person.click(screen.getByRole('button', { name: /Oil & Filter/ }));
    expect(await screen.findByText('Unable to load oil specifications')).toBeVisible();
    expect(screen.getByText('Failed to fetch oil specifications')).toBeVisible();
    await person.click(screen.getByText('Close'));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});
