-- CreateTable
CREATE TABLE "ingest_turn" (
    "session_id" UUID NOT NULL,
    "turn" TEXT NOT NULL,
    "objects" INTEGER NOT NULL,
    "failed" JSONB,

    CONSTRAINT "ingest_turn_pkey" PRIMARY KEY ("session_id","turn")
);

-- AddForeignKey
ALTER TABLE "ingest_turn" ADD CONSTRAINT "ingest_turn_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

