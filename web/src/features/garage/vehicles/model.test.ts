import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  ADD_FIELDS_MISSING,
  changesOf,
  changesOfVin,
  detailsOfVin,
  emptyVehicleForm,
  isWholeVin,
  vehicleSchema,
  searchVehicles,
  sourceOfVin,
  typedVin,
} from '@/features/garage/vehicles/model';
import { checkForm } from '@/lib/form-schema';
import { civic, truck, vinFacts } from '@/testing/fixtures';

describe('vehicleSchema', () => {
  const typed = { ...emptyVehicleForm(new Date('2026-05-01')), make: ' Honda ', model: 'Civic' };

  it('takes make, model and year, and leaves out what is not given', () => {
    expect(checkForm(vehicleSchema(ADD_FIELDS_MISSING), typed)).toEqual({
      ok: true,
      body: {
        make: 'Honda',
        model: 'Civic',
        year: 2026,
        engine: null,
        transmission: null,
        vinNumber: null,
        licensePlate: null,
      },
    });
  });

  it.each([{ make: ' ' }, { model: '' }, { year: ' ' }])('refuses %o', (change) => {
    expect(checkForm(vehicleSchema(ADD_FIELDS_MISSING), { ...typed, ...change })).toEqual({
      ok: false,
      refusal: {
        message: 'Please fill in make, model, and year.',
        fields: Object.keys(change),
      },
    });
  });

  it.each(['20x5', '12', '20.5', '1885', '2101', '２０１５'])(
    'says which years there are where %s is none',
    (year) => {
      expect(checkForm(vehicleSchema(ADD_FIELDS_MISSING), { ...typed, year })).toEqual({
        ok: false,
        refusal: { message: 'Please enter a year between 1886 and 2100.', fields: ['year'] },
      });
    },
  );
});

it('clears what another make or model makes wrong, and nothing else', () => {
  expect(changesOf('make', 'Ford', 'Civic')).toEqual({ make: 'Ford', model: '', engine: '' });
  expect(changesOf('model', 'F-150', 'Civic')).toEqual({ model: 'F-150', engine: '' });
  expect(changesOf('model', 'F-150', '')).toEqual({ model: 'F-150' });
  expect(changesOf('year', '2019', 'Civic')).toEqual({ year: '2019' });
});

const noDetails: Schemas['VinFactDetails'] = {
  series: null,
  trim: null,
  body: null,
  doors: null,
  engine: null,
  engineCode: null,
  cylinders: null,
  displacement: null,
  fuel: null,
  secondFuel: null,
  power: null,
  drive: null,
  transmission: null,
  builtIn: null,
  restraint: null,
};

it('takes from a VIN only what it says beyond doubt', () => {
  const empty = emptyVehicleForm(new Date('2026-05-01'));
  expect(changesOfVin(vinFacts, empty)).toEqual({
    make: 'Honda',
    model: 'Civic',
    engine: '1.8L 4-cyl',
    transmission: 'Automatic',
    year: '2015',
  });
  expect(changesOfVin({ ...vinFacts, models: ['Civic', 'Accord'] }, empty).model).toBe('');
  expect(changesOfVin({ ...vinFacts, details: noDetails }, empty).engine).toBe('');
  const nothing = { make: null, models: [], modelYear: null, details: noDetails };
  expect(changesOfVin({ ...vinFacts, ...nothing }, empty)).toEqual({});
});

it.each([
  ['it is one of several', 'honda ', 'Civic', ['Civic', 'Accord'], true],
  ['none is known', 'Honda', 'Civic', [], true],
  ['it is the only one', 'Honda', 'civic', ['Civic'], true],
  ['it is none of several', 'Honda', 'Jazz', ['Civic', 'Accord'], false],
  ['the make is another', 'Ford', 'Civic', ['Civic', 'Accord'], false],
])('keeps the typed model and its engine from a VIN or not, where %s', (...row) => {
  const [, make, model, models, isKept] = row;
  const typed = { ...emptyVehicleForm(new Date('2026-05-01')), make, model, engine: '2.0L 4-cyl' };
  const filled = { ...typed, ...changesOfVin({ ...vinFacts, models, details: noDetails }, typed) };
  expect(filled.model.toLowerCase()).toBe(isKept ? 'civic' : '');
  expect(filled.engine).toBe(isKept ? '2.0L 4-cyl' : '');
});

it('says in a few words what a VIN tells, and whose word it is', () => {
  expect(detailsOfVin(vinFacts)).toBe(
    'Sedan · 4 doors · 1.8L 4-cyl · R18Z1 · Gasoline · 143 hp · Front-Wheel Drive · Automatic',
  );
  expect(sourceOfVin(vinFacts)).toBe('Power and drive: as EPA lists this model, year, and engine.');
  expect(detailsOfVin({ ...vinFacts, details: noDetails })).toBe('');
  expect(sourceOfVin({ ...vinFacts, details: noDetails })).toBeNull();
  const electric = { ...noDetails, engine: 'Electric', fuel: 'Electric' };
  expect(detailsOfVin({ ...vinFacts, details: electric })).toBe('Electric');
});

it('decodes whole VINs only', () => {
  expect(isWholeVin('2HGFB2F59FH500123')).toBe(true);
  expect(isWholeVin('2HGFB2F59FH50012')).toBe(false);
  expect(isWholeVin('2HGFB2F59FHO00123')).toBe(false);
});

it('finds vehicles in which all words occur', () => {
  expect(searchVehicles([civic, truck], ' ford 2019 ')).toEqual([truck]);
  expect(searchVehicles([civic, truck], '')).toEqual([civic, truck]);
});

it('finds vehicles whichever diacritics are typed', () => {
  const skoda = { ...civic, make: 'Škoda', model: 'Octavia' };
  expect(searchVehicles([civic, skoda], 'skoda')).toEqual([skoda]);
  expect(searchVehicles([civic, skoda], 'ŠKODA')).toEqual([skoda]);
});

it('keeps a VIN in upper case and at most 17 long', () => {
  expect(typedVin('2hgfb2f59 fh500123xx')).toBe('2HGFB2F59FH500123');
});

it('keeps of a VIN neither hyphens nor the word before it', () => {
  expect(typedVin('vin 1HGCM\u201382633-A004352')).toBe('1HGCM82633A004352');
  expect(typedVin('VI')).toBe('VI');
});
