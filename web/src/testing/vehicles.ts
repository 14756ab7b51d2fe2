import { answer } from '@/testing/server';

/** Answers what the fields of a vehicle suggest: two makes, a model of one, and an engine of that. */
export function answerSuggestions() {
  answer('get', '/api/vehicles/makes', [
    { id: 'honda', name: 'Honda' },
    { id: 'hyundai', name: 'Hyundai' },
  ]);
  answer('get', '/api/vehicles/models/Honda', [{ id: 'civic', name: 'Civic' }]);
  answer('get', '/api/vehicles/years', [
    { id: '2026', name: '2026' },
    { id: '2025', name: '2025' },
  ]);
  answer('get', '/api/vehicles/engines/Honda/Civic/:year', [
    { id: '2-0l', name: '2.0L 4-cyl', transmissions: [] },
  ]);
}
