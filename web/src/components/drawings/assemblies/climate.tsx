import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Tube } from '@/components/drawings/solids';

export const AIR_CONDITIONING: Assembly = {
  name: 'Air-conditioning circuit',
  pieces: [
    piece(
      { name: 'hoses and pipes', labels: ['ac-hose'], at: [210, 79] },
      <>
        <Tube
          path="M178 104V98C178 90 174 88 166 88H138C128 88 126 94 126 102V126C126 136 120 140 110 140H22C14 140 12 136 12 128V66C12 58 16 56 26 56"
          width={4}
        />
        <Tube path="M74 114H80C88 114 88 110 88 102V70C88 60 90 56 95 56S102 60 102 76" width={2} />
        <Tube path="M110 76V62C110 54 114 52 122 52H204C216 52 212 66 226 66" width={2} />
        <Tube path="M228 82H208C196 82 196 90 196 104" width={6} />
        <Tube path="M242 66H276M242 82H276" width={3} />
      </>,
    ),
    piece(
      { name: 'compressor', labels: ['air-compressor', 'ac-compressor-clutch'], at: [168, 98] },
      <>
        <path d="M170 98h34v12h-34z" />
        <Cylinder x={166} y={122} r={20} length={46} />
        <path d="M190 103q7 19 0 38M202 103q7 19 0 38" fill="none" />
        <Cylinder x={152} y={122} r={22} length={12} />
        <Ellipse x={152} y={122} r={15} />
        <Ellipse x={152} y={122} r={6} />
        <path d="M147 110l3 7M157 110l-3 7M152 128v9" />
      </>,
    ),
    piece(
      { name: 'condenser', labels: ['ac-condenser'], at: [50, 48] },
      <>
        <path d="M30 48h40v74h-40zM30 56h40M30 64h40M30 72h40M30 80h40M30 88h40M30 96h40M30 104h40M30 112h40" />
        <path d="M22 44h8v82h-8zM70 44h8v82h-8z" />
      </>,
    ),
    piece(
      { name: 'receiver-drier', labels: ['ac-receiver-drier'], at: [106, 72] },
      <>
        <path d="M96 80q10 -6 20 0v38q-10 6 -20 0zM98 72h16v7h-16zM96 90q10 5 20 0M96 110q10 5 20 0" />
        <circle cx="106" cy="75.5" r="2" />
      </>,
    ),
    piece(
      { name: 'pressure switch', labels: ['ac-pressure-switch'], at: [160, 30] },
      <path d="M155 30h10v9h-10zM152 39h16v6h-16zM157 45h6v5h-6zM157 39v6M163 39v6" />,
    ),
    piece(
      { name: 'expansion valve', labels: ['ac-expansion-valve'], at: [235, 50] },
      <>
        <path d="M226 58h18v32h-18zM232 53h6v5h-6zM227 53q8 -7 16 0zM231 90h8v6h-8z" />
        <circle cx="235" cy="66" r="3.5" />
        <circle cx="235" cy="82" r="3.5" />
      </>,
    ),
    piece(
      { name: 'evaporator', labels: ['ac-evaporator'], at: [310, 42] },
      <>
        <Block x={272} y={50} width={58} height={60} depth={14} />
        <path d="M280 50v60M288 50v60M296 50v60M304 50v60M312 50v60M322 50v60M272 60h58M272 100h58" />
      </>,
    ),
  ],
};
