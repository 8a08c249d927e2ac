/**
 * Sizes of PNG, JPEG and WebP files from their bytes, and whether the file is whole. No pixel is decoded: a pool has tens of thousands of screenshots, and
 * the trainer decodes them anyway. What is refused here would make the trainer (or Pillow) stop in the middle of a run, or be read differently by the two.
 */
import { crc32 } from 'node:zlib';
import { RowFault } from './row-fault.ts';

export interface ImageHeader {
  format: 'png' | 'jpeg' | 'webp';
  /** Pixels as stored; an EXIF rotation is not applied. */
  width: number;
  height: number;
}

/** `code` is one of image-format, image-truncated, image-broken, image-colour. */
export class ImageFault extends RowFault {}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `bytes` is the whole file. Throws ImageFault. */
export function readImageHeader(bytes: Buffer): ImageHeader {
  const header = readByFormat(bytes);
  if (header.width < 1 || header.height < 1) {
    throw new ImageFault('image-broken', `its size is ${header.width} x ${header.height}`);
  }
  return header;
}

function readByFormat(bytes: Buffer): ImageHeader {
  if (bytes.length === 0) throw new ImageFault('image-truncated', 'the file is empty');
  if (bytes.subarray(0, 8).equals(pngSignature)) return readPng(bytes);
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes);
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (isRiff) return readWebp(bytes);
  if (bytes.length < 12) throw new ImageFault('image-truncated', `the file has ${bytes.length} bytes`);
  throw new ImageFault('image-format', 'it is none of PNG, JPEG and WebP');
}

function truncated(reason: string): ImageFault {
  return new ImageFault('image-truncated', reason);
}

function readPng(bytes: Buffer): ImageHeader {
  let header: ImageHeader | undefined;
  let hasData = false;
  for (let at = 8; ;) {
    if (at + 12 > bytes.length) throw truncated('the PNG ends before its IEND chunk');
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (at + 12 + length > bytes.length) throw truncated(`the PNG ends inside a chunk ("${printable(type)}")`);
    // An upper-case first letter marks a chunk that a decoder must understand; libpng checks the sums of those.
    const isCritical = (bytes.readUInt8(at + 4) & 0x20) === 0;
    if (isCritical && crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length)) {
      throw new ImageFault('image-broken', `the checksum of its chunk "${printable(type)}" is wrong`);
    }
    if (header === undefined) {
      if (type !== 'IHDR' || length !== 13)
        throw new ImageFault('image-broken', 'the PNG does not begin with an IHDR chunk');
      if (bytes[at + 16] === 16) throw new ImageFault('image-colour', '16 bits a channel are not supported, only 8');
      header = { format: 'png', width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (type === 'IDAT') hasData = true;
    at += 12 + length;
    if (type !== 'IEND') continue;
    if (!hasData) throw truncated('the PNG has no image data');
    return header;
  }
}

function readJpeg(bytes: Buffer): ImageHeader {
  let header: ImageHeader | undefined;
  let hasScan = false;
  let at = 2;
  for (;;) {
    // Between segments a marker must follow; fill bytes of FF are allowed before it.
    if (at + 1 >= bytes.length) throw truncated('the JPEG ends before its end marker');
    if (bytes[at] !== 0xff) throw new ImageFault('image-broken', `a JPEG marker should stand at byte ${at}`);
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    at += 2;
    if (marker === 0xd9) {
      if (header === undefined || !hasScan) throw truncated('the JPEG has no image data');
      return header;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (at + 2 > bytes.length) throw truncated('the JPEG ends before its end marker');
    const length = bytes.readUInt16BE(at);
    if (length < 2) throw new ImageFault('image-broken', `a JPEG segment at byte ${at} has no length`);
    if (at + length > bytes.length) throw truncated('the JPEG ends inside a segment');
    if (isFrame(marker)) header = readFrame(bytes, at, length);
    at += length;
    if (marker === 0xda) {
      hasScan = true;
      at = endOfScan(bytes, at);
    }
  }
}

/** SOF0 to SOF15, without DHT, JPG and DAC, which share their numbers. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readFrame(bytes: Buffer, at: number, length: number): ImageHeader {
  if (length < 8) throw new ImageFault('image-broken', 'the JPEG frame header is too short');
  const precision = bytes.readUInt8(at + 2);
  const components = bytes.readUInt8(at + 7);
  if (precision !== 8) throw new ImageFault('image-colour', `${precision} bits a channel are not supported, only 8`);
  if (components === 4)
    throw new ImageFault('image-colour', 'CMYK is not supported: its conversion to RGB differs between programs');
  if (components !== 1 && components !== 3)
    throw new ImageFault('image-colour', `${components} colour components are not supported`);
  return { format: 'jpeg', height: bytes.readUInt16BE(at + 3), width: bytes.readUInt16BE(at + 5) };
}

/** In coded data FF 00 is a byte FF and FF D0..D7 a restart; any other FF xx ends it. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(0xff, at);
    if (at < 0 || at + 1 >= bytes.length) throw truncated('the JPEG ends before its end marker');
    const next = bytes.readUInt8(at + 1);
    if (next === 0xff) at -= 1;
    else if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}

function readWebp(bytes: Buffer): ImageHeader {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw truncated(`the WebP says ${end} bytes and has ${bytes.length}`);
  let canvas: ImageHeader | undefined;
  for (let at = 12; at + 8 <= end;) {
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const data = at + 8;
    if (data + length > end) throw truncated(`the WebP ends inside a chunk ("${printable(type)}")`);
    if (type === 'VP8X') {
      if (length < 10) throw new ImageFault('image-broken', 'the WebP header is too short');
      if ((bytes.readUInt8(data) & 0x02) !== 0) throw new ImageFault('image-format', 'animated WebP is not supported');
      canvas = { format: 'webp', width: bytes.readUIntLE(data + 4, 3) + 1, height: bytes.readUIntLE(data + 7, 3) + 1 };
    }
    if (type === 'VP8 ' || type === 'VP8L') return canvas ?? readWebpFrame(bytes, type, data, length);
    at = data + length + (length & 1);
  }
  throw truncated('the WebP has no image data');
}

function readWebpFrame(bytes: Buffer, type: string, data: number, length: number): ImageHeader {
  if (type === 'VP8L') {
    if (length < 5 || bytes[data] !== 0x2f) throw new ImageFault('image-broken', 'the lossless WebP header is broken');
    const packed = bytes.readUInt32LE(data + 1);
    return { format: 'webp', width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  const hasStartCode = length >= 10 && bytes[data + 3] === 0x9d && bytes[data + 4] === 0x01 && bytes[data + 5] === 0x2a;
  if (!hasStartCode) throw new ImageFault('image-broken', 'the WebP header is broken');
  return {
    format: 'webp',
    width: bytes.readUInt16LE(data + 6) & 0x3fff,
    height: bytes.readUInt16LE(data + 8) & 0x3fff,
  };
}

function printable(type: string): string {
  return type.replace(/[^\x20-\x7e]/g, '?');
}
