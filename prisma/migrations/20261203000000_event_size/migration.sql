-- How much a page of events would load, known before any payload is: PostgreSQL keeps large ones apart and compressed.
ALTER TABLE "event" ADD COLUMN "size" INTEGER NOT NULL GENERATED ALWAYS AS (octet_length(payload::text)) STORED;
