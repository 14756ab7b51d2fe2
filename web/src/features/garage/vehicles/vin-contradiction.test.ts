import { describe, expect, it } from 'vitest';
import { contradictionOf } from '@/features/garage/vehicles/vin-contradiction';
import { vinFacts } from '@/testing/fixtures';

const ofMake = (make: string) => ({ ...vinFacts, make });

describe('contradictionOf', () => {
  it.each([
    ['no make yet', { make: '', year: '2026' }],
    ['the same', { make: ' honda', year: '2015' }],
    ['a make that is half typed', { make: 'Ho', year: '201' }],
    ['a make with more words', { make: 'Honda Canada', year: '2015' }],
    ['a make that is spelled wrong', { make: 'Hondda', year: '2015' }],
    ['a make in another script', { make: 'ホンダ', year: '2015' }],
    ['the year thirty years apart', { make: 'Honda', year: '1985' }],
  ])('finds none with %s', (_, typed) => {
    expect(contradictionOf({ ...vinFacts, otherModelYear: 1985 }, typed)).toBeNull();
  });

  it.each([
    ['VW', 'Volkswagen'],
    ['Chevy', 'Chevrolet'],
    ['Merc', 'Mercedes-Benz'],
    ['Benz', 'Mercedes-Benz'],
    ['AMC', 'American Motors Corporation'],
    ['Range Rover', 'Land Rover'],
    ['Skoda', 'Volkswagen'],
    ['Vauxh', 'Opel'],
    ['Dacia', 'Renault'],
    ['Holden', 'Chevrolet'],
  ])('takes %s for what may be a %s', (typed, make) => {
    expect(contradictionOf(ofMake(make), { make: typed, year: '2015' })).toBeNull();
  });

  it('says of which vehicle the VIN is with another make', () => {
    expect(contradictionOf(vinFacts, { make: 'Toyota', year: '2026' })).toBe(
      'The VIN is of another vehicle: 2015 Honda Civic. Please check it.',
    );
  });

  it('says that the year differs where the make is right', () => {
    const said = 'The VIN says model year 2015. Please check the year.';
    expect(contradictionOf(vinFacts, { make: 'Honda', year: '2026' })).toBe(said);
    expect(contradictionOf(ofMake('Volkswagen'), { make: 'VW', year: '2026' })).toBe(said);
  });

  it.each(['Europe', 'Asia', 'Oceania', 'South America'])(
    'does not take the tenth character for the year of a vehicle of %s',
    (region) => {
      const facts = { ...vinFacts, region, make: 'Renault', models: [] };
      expect(contradictionOf(facts, { make: 'Renault', year: '2003' })).toBeNull();
      expect(contradictionOf(facts, { make: 'Ford', year: '2003' })).toBe(
        'The VIN is of another vehicle: Renault. Please check it.',
      );
    },
  );

  it('finds none where the VIN says neither make nor year', () => {
    const silent = { ...vinFacts, make: null, modelYear: null };
    expect(contradictionOf(silent, { make: 'Toyota', year: '2026' })).toBeNull();
  });
});
