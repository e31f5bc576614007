-- CreateTable
CREATE TABLE "ingest_stream" (
    "session_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "format" TEXT,
    "offset" BIGINT NOT NULL DEFAULT 0,
    "state" TEXT,
    "writer" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ingest_stream_pkey" PRIMARY KEY ("session_id","stream")
);

-- CreateIndex
CREATE INDEX "ingest_stream_due_at_updated_at_idx" ON "ingest_stream"("due_at", "updated_at");

-- AddForeignKey
ALTER TABLE "ingest_stream" ADD CONSTRAINT "ingest_stream_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
