import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Tube } from '@/components/drawings/solids';

export const AIR_CONDITIONING: Assembly = {
  name: 'Air-conditioning circuit',
  pieces: [
    piece(
      { name: 'hoses and pipes', labels: ['ac-hose'], at: [210, 79] },
      <Tube
        path="M178 104V98C178 90 174 88 166 88H138C128 88 126 94 126 102V126C126 136 120 140 110 140H22C14 140 12 136 12 128V66C12 58 16 56 26 56"
        width={4}
      />,
      <Tube path="M74 114H80C88 114 88 110 88 102V70C88 60 90 56 95 56S102 60 102 76" width={2} />,
      <Tube path="M110 76V62C110 54 114 52 122 52H204C216 52 212 66 226 66" width={2} />,
      <Tube path="M228 82H208C196 82 196 90 196 104" width={6} />,
      <Tube path="M242 66H276M242 82H276" width={3} />,
    ),
    piece(
      { name: 'compressor', labels: ['air-compressor', 'ac-compressor-clutch'], at: [168, 98] },
      <path d="M170 98h34v12h-34z" />,
      <Cylinder x={166} y={122} r={20} length={46} />,
      <path d="M190 103q7 19 0 38M202 103q7 19 0 38" fill="none" />,
      <Cylinder x={152} y={122} r={22} length={12} />,
      <Ellipse x={152} y={122} r={15} />,
      <Ellipse x={152} y={122} r={6} />,
      <path d="M147 110l3 7M157 110l-3 7M152 128v9" />,
    ),
    piece(
      { name: 'condenser', labels: ['ac-condenser'], at: [50, 48] },
      <path d="M30 48h40v74h-40zM30 56h40M30 64h40M30 72h40M30 80h40M30 88h40M30 96h40M30 104h40M30 112h40" />,
      <path d="M22 44h8v82h-8zM70 44h8v82h-8z" />,
    ),
    piece(
      { name: 'receiver-drier', labels: ['ac-receiver-drier'], at: [106, 72] },
      <path d="M96 80q10 -6 20 0v38q-10 6 -20 0zM98 72h16v7h-16zM96 90q10 5 20 0M96 110q10 5 20 0" />,
      <circle cx="106" cy="75.5" r="2" />,
    ),
    piece(
      { name: 'pressure switch', labels: ['ac-pressure-switch'], at: [160, 30] },
      <path d="M155 30h10v9h-10zM152 39h16v6h-16zM157 45h6v5h-6zM157 39v6M163 39v6" />,
    ),
    piece(
      { name: 'expansion valve', labels: ['ac-expansion-valve'], at: [235, 50] },
      <path d="M226 58h18v32h-18zM232 53h6v5h-6zM227 53q8 -7 16 0zM231 90h8v6h-8z" />,
      <circle cx="235" cy="66" r="3.5" />,
      <circle cx="235" cy="82" r="3.5" />,
    ),
    piece(
      { name: 'evaporator', labels: ['ac-evaporator'], at: [310, 42] },
      <Block x={272} y={50} width={58} height={60} depth={14} />,
      <path d="M280 50v60M288 50v60M296 50v60M304 50v60M312 50v60M322 50v60M272 60h58M272 100h58" />,
    ),
  ],
};

export const HEATER: Assembly = {
  name: 'Heater and ventilation',
  axis: 'M14 98H350',
  pieces: [
    piece(
      { name: 'cabin air filter', labels: ['cabin-air-filter'], at: [40, 63] },
      <Block x={16} y={68} width={36} height={60} depth={10} />,
      <path d="M20 72h28v52h-28zM24 72v52M28 72v52M32 72v52M36 72v52M40 72v52M44 72v52" />,
    ),
    piece(
      { name: 'blower motor with its wheel', labels: ['blower-motor'], at: [96, 68] },
      <Cylinder x={106} y={98} r={15} length={24} />,
      <Cylinder x={84} y={98} r={30} length={22} hole={24} />,
      <path d="M88 68.5h18M91 75h19M94 83h19M95 92h19M95 104h19M94 113h19M91 121h19M88 127.5h18" />,
      <Ellipse x={86} y={98} r={7} />,
    ),
    piece(
      { name: 'blower resistor', labels: ['blower-motor-resistor'], at: [152, 36] },
      <path d="M136 44h32v6h-32zM142 36h20v8h-20zM142 50v18M150 50v18M158 50v18M164 50v14M142 54l8 4 -8 4 8 4M158 54l6 3 -6 3 6 3M138 68h28" />,
    ),
    piece(
      { name: 'evaporator', labels: ['ac-evaporator'], at: [172, 74] },
      <Block x={150} y={82} width={26} height={46} depth={12} />,
      <path d="M155 82v46M160 82v46M165 82v46M170 82v46" />,
    ),
    piece(
      { name: 'heater core', labels: ['heater-core'], at: [222, 66] },
      <Tube path="M208 90V66M216 90V70" width={3} />,
      <Block x={202} y={86} width={22} height={42} depth={10} />,
      <path d="M207 86v42M212 86v42M217 86v42" />,
    ),
    piece(
      { name: 'box with its doors', labels: [], at: [279, 74] },
      <path d="M244 84h6V74h14v10h8V74h14v10h8V74h14v10h6v38q0 8 -8 8h-54q-8 0 -8 -8z" />,
      <path d="M260 120L284 94M286 116L300 92" strokeWidth="3" />,
      <circle cx="260" cy="120" r="3" />,
      <circle cx="286" cy="116" r="3" />,
    ),
    piece(
      { name: 'blend door actuator', labels: ['blend-door-actuator'], at: [340, 84] },
      <path d="M328 86h20v30h-20zM320 98h8v6h-8zM332 116h12v6h-12zM332 92h12M332 110v.1M344 110v.1" />,
    ),
    piece(
      { name: 'control panel', labels: ['climate-control-panel'], at: [274, 32] },
      <path d="M222 32h104q4 0 4 4v20q0 4 -4 4H222q-4 0 -4 -4V36q0 -4 4 -4z" />,
      <circle cx="236" cy="46" r="9" />,
      <circle cx="274" cy="46" r="9" />,
      <circle cx="312" cy="46" r="9" />,
      <path d="M236 46v-8M274 46l5 -6M312 46l-5 -6" />,
    ),
  ],
};
