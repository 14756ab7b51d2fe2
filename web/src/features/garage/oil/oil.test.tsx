import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { OilTile } from '@/features/garage/oil/components/oil-tile';
import { ownOilSchema, sourceText, specRows } from '@/features/garage/oil/model';
import { checkForm } from '@/lib/form-schema';
import { civic } from '@/testing/fixtures';
import { confirm, readAnew, renderLeavable, renderScreen } from '@/testing/render';
import { answer, refuse, refuseLater } from '@/testing/server';

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
});
