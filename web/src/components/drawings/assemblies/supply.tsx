import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Rings, Teeth, Tube } from '@/components/drawings/solids';

export const COOLING: Assembly = {
  name: 'Cooling circuit',
  pieces: [
    piece(
      {
        name: 'fan with its shroud',
        labels: ['radiator-fan', 'fan-blade', 'fan-shroud', 'fan-clutch'],
        at: [104, 52],
      },
      <path d="M84 52h44v72h-44z" />,
      <ellipse cx="106" cy="88" rx="17" ry="30" />,
      <path d="M106 88C100 74 104 64 108 60C112 70 110 80 106 88ZM106 88C94 84 90 76 91 72C98 74 104 80 106 88ZM106 88C112 102 108 112 104 116C100 106 102 96 106 88ZM106 88C118 92 122 100 121 104C114 102 108 96 106 88Z" />,
      <circle cx="106" cy="88" r="5" />,
    ),
    piece(
      {
        name: 'radiator with its cap',
        labels: ['radiator', 'radiator-cap', 'radiator-drain-plug'],
        at: [42, 46],
      },
      <path d="M18 46h50v10h-50zM18 122h50v10h-50z" />,
      <path d="M20 56h46v66h-46zM28 56v66M36 56v66M44 56v66M52 56v66M60 56v66" />,
      <path d="M36 40h12v6h-12zM34 37h16v3h-16zM62 132h4v5h-4z" />,
    ),
    piece(
      { name: 'upper and lower hose', labels: ['radiator-hose', 'coolant-pipe'], at: [150, 40] },
      <Tube path="M68 51H78C90 40 130 40 150 40S184 44 196 52" width={8} />,
      <Tube path="M68 128H140C164 128 164 112 186 112" width={8} />,
    ),
    piece(
      {
        name: 'thermostat with its housing',
        labels: ['thermostat', 'thermostat-housing', 'coolant-temperature-sensor'],
        at: [216, 40],
      },
      <path d="M200 46h12q10 0 10 10v8h-22z" />,
      <path d="M206 72h22v4h-22zM211 76h12l-3 10h-6zM214 68h6v4h-6z" />,
    ),
    piece(
      { name: 'water pump', labels: ['water-pump', 'auxiliary-water-pump'], at: [206, 96] },
      <path d="M194 100h26l8 12 -8 14h-26l-6 -14z" />,
      <Cylinder x={204} y={113} r={11} length={12} />,
      <path d="M204 106v14M201 113h6" />,
    ),
    piece(
      {
        name: 'heater core with its hoses',
        labels: ['heater-core', 'heater-hose', 'heater-control-valve'],
        at: [310, 92],
      },
      <Tube path="M228 106H282M228 122H282" width={4} />,
      <path d="M282 96h56v36h-56zM290 96v36M298 96v36M306 96v36M314 96v36M322 96v36M330 96v36" />,
    ),
    piece(
      { name: 'overflow tank', labels: ['overflow-tank', 'coolant-level-sensor'], at: [284, 34] },
      <Tube path="M226 58H258" width={3} />,
      <path d="M258 44q0 -4 6 -4h46q6 0 6 6v26q0 6 -6 6h-46q-6 0 -6 -6z" />,
      <path d="M278 34h14v6h-14zM300 52h10M300 66h10M264 60q6 -4 12 0t12 0" />,
    ),
  ],
};

export const FUEL_FEED: Assembly = {
  name: 'Fuel tank to engine',
  pieces: [
    piece(
      {
        name: 'gas cap with the filler neck',
        labels: ['gas-cap', 'fuel-filler-neck', 'fuel-door'],
        at: [34, 34],
      },
      <Tube path="M34 62C34 84 50 92 66 96" width={7} />,
      <path d="M24 52h20v10h-20zM22 40q12 -8 24 0v8h-24zM28 36v12M34 34v14M40 36v12" />,
    ),
    piece(
      { name: 'tank with its straps', labels: ['fuel-tank', 'fuel-tank-strap'], at: [92, 92] },
      <path d="M62 92h96q8 0 8 8v28q0 8 -8 8H70q-8 0 -8 -8zM86 92v44M140 92v44" />,
      <ellipse cx="113" cy="93" rx="13" ry="4" className="fill-canvas" />,
    ),
    piece(
      {
        name: 'pump with the level sender',
        labels: ['fuel-pump', 'fuel-level-sender'],
        at: [113, 34],
      },
      <path d="M99 40h28v5h-28zM106 45h14v26h-14zM107 71h12v6h-12zM108 34h4v6h-4zM116 35h8v5h-8zM120 56l16 12M136 64h8v8h-8z" />,
    ),
    piece(
      {
        name: 'vapor canister and valves',
        labels: ['evap-canister', 'evap-vent-valve', 'evap-purge-valve'],
        at: [182, 34],
      },
      <path d="M164 40h40v28h-40zM172 34h5v6h-5zM188 34h5v6h-5zM172 48h24M172 54h24M172 60h24" />,
    ),
    piece(
      { name: 'fuel line', labels: ['fuel-line'], at: [190, 98] },
      <Tube path="M166 100H222M258 100H276" width={2.5} />,
    ),
    piece(
      { name: 'fuel filter', labels: ['fuel-filter', 'fuel-water-separator'], at: [234, 88] },
      <Cylinder x={224} y={100} r={12} length={30} />,
      <Cylinder x={216} y={100} r={3} length={6} />,
    ),
    piece(
      {
        name: 'high-pressure pump',
        labels: ['high-pressure-fuel-pump', 'mechanical-fuel-pump', 'diesel-injection-pump'],
        at: [296, 84],
      },
      <path d="M276 92h36v22h-36zM284 114h20v8h-20zM288 84h12v8h-12z" />,
      <circle cx="294" cy="103" r="6" />,
    ),
    piece(
      { name: 'carburetor', labels: ['carburetor', 'carburetor-rebuild-kit'], at: [246, 34] },
      <path d="M228 34h36v6h-36zM232 40h28v20h-28zM260 44h10v12h-10zM226 60h40v6h-40zM236 40q10 12 20 0M222 46h10v10h-10z" />,
    ),
    piece(
      {
        name: 'rail with injectors',
        labels: ['fuel-rail', 'fuel-injector', 'fuel-pressure-regulator', 'fuel-pressure-sensor'],
        at: [316, 36],
      },
      <Cylinder x={286} y={42} r={5} length={60} />,
      [296, 316, 336].map((x) => (
        <path key={x} d={`M${x - 4} 47h8v12h-8zM${x - 2.5} 59h5v10l-2.5 5 -2.5 -5z`} />
      )),
    ),
  ],
};

export const STARTING: Assembly = {
  name: 'Battery, starter and charging',
  pieces: [
    piece(
      { name: 'battery in its tray', labels: ['battery', 'battery-tray'], at: [62, 56] },
      <Block x={26} y={66} width={66} height={44} depth={14} />,
      <path d="M36 56h8v6h-8zM78 56h8v6h-8zM34 80h12M72 80h12M78 74v12M22 116h80v6h-80z" />,
    ),
    piece(
      {
        name: 'terminals and cables',
        labels: ['battery-terminal', 'battery-cable', 'fusible-link'],
        at: [130, 40],
      },
      <Tube path="M82 54C84 38 120 38 150 42" width={3} />,
      <Tube path="M88 54C108 46 112 88 140 88H194C206 88 210 98 202 104" width={3} />,
      <path d="M76 50h14v6h-14z" />,
    ),
    piece(
      {
        name: 'fuse box with fuses and relays',
        labels: ['fuse-box', 'fuse', 'relay'],
        at: [186, 30],
      },
      <path d="M150 36h72v40h-72zM156 42h10v8h-10zM156 54h10v8h-10zM200 42h16v12h-16zM200 58h16v12h-16z" />,
      <path d="M172 42v10M178 42v10M184 42v10M190 42v10M172 58v10M178 58v10M184 58v10M190 58v10" />,
    ),
    piece(
      { name: 'starter with its solenoid', labels: ['starter', 'starter-solenoid'], at: [186, 96] },
      <Cylinder x={160} y={124} r={17} length={50} />,
      <Cylinder x={166} y={104} r={8} length={34} />,
      <Cylinder x={142} y={124} r={7} length={14} />,
      <Teeth x={142} y={124} r={7} length={14} />,
    ),
    piece(
      {
        name: 'alternator with its regulator',
        labels: ['alternator', 'voltage-regulator', 'alternator-pulley', 'alternator-rectifier'],
        at: [296, 64],
      },
      <Tube path="M222 56H258C270 56 280 60 286 70" width={3} />,
      <Cylinder x={272} y={96} r={32} length={44} />,
      <path d="M288 66v58M300 65v60M310 66v58" />,
      <Ellipse x={272} y={96} r={22} />,
      <Cylinder x={254} y={96} r={13} length={12} />,
      <path d="M316 84h14v24h-14z" />,
    ),
  ],
};

export const DOOR: Assembly = {
  name: 'Door',
  pieces: [
    piece(
      { name: 'mirror', labels: ['side-mirror', 'mirror-glass'], at: [44, 50] },
      <path d="M24 56q2 -6 10 -6h24q8 0 8 8v14q0 8 -8 8H36q-8 0 -10 -8zM58 78l10 8v6h-12z" />,
      <path d="M30 58q1 -3 5 -3h20q5 0 5 5v10q0 4 -4 4H38q-5 0 -6 -5z" />,
    ),
    piece(
      {
        name: 'door with hinges and seal',
        labels: ['car-door', 'door-hinge', 'door-check', 'weatherstrip'],
        at: [124, 34],
      },
      <path d="M88 78L112 38Q116 34 122 34H164V138H92Q86 138 86 130Z" />,
      <path d="M98 76L116 44Q118 40 124 40H156V76ZM82 90h5v8h-5zM82 120h5v8h-5z" />,
    ),
    piece(
      { name: 'glass', labels: ['door-glass'], at: [208, 36] },
      <path d="M184 74L200 42Q203 36 210 36H236V74ZM196 66l14 -22M206 66l10 -16" />,
    ),
    piece(
      {
        name: 'window regulator with its motor',
        labels: ['window-regulator', 'window-motor'],
        at: [210, 86],
      },
      <path d="M184 88h56v6h-56zM190 94l40 42h-8l-40 -42M232 94l-40 42h8l40 -42M186 134h50v5h-50z" />,
      <circle cx="211" cy="115" r="4" />,
      <path d="M240 112h16v14h-16zM256 116h10v6h-10z" />,
    ),
    piece(
      {
        name: 'latch and handles',
        labels: [
          'door-latch',
          'door-lock-actuator',
          'exterior-door-handle',
          'interior-door-handle',
        ],
        at: [282, 48],
      },
      <path d="M262 50q22 -8 42 0v8q-20 -6 -42 0zM266 74h24v28h-24zM290 82h8v10h-8zM274 82q8 0 8 8" />,
    ),
    piece(
      { name: 'trim panel', labels: ['door-trim-panel'], at: [332, 38] },
      <path d="M314 44q0 -6 6 -6h24q6 0 6 6v50h-36zM320 66h24v8h-24zM320 84h24" />,
    ),
    piece(
      { name: 'speaker', labels: ['speaker'], at: [284, 110] },
      <Rings x={284} y={124} r={[14, 10, 3.5]} />,
    ),
    piece(
      { name: 'window switch', labels: ['window-switch'], at: [326, 104] },
      <path d="M306 106h40v22h-40zM312 111h12v12h-12zM328 111h12v12h-12z" />,
    ),
  ],
};
